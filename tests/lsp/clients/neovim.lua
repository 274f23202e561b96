-- Neovim as a client, as `docs/editor.md` sets it up. Arguments: the file to open, and the command of the server.
-- Prints what it saw as JSON.
local file = arg[1]
local command = vim.list_slice(arg, 2)
local PATIENCE = 60000

vim.lsp.config('tilelang', {
  cmd = command,
  filetypes = { 'python' },
  root_markers = { 'pyproject.toml', '.git' },
  init_options = { target = { 't4', 'a100' } },
})
vim.lsp.enable('tilelang')
vim.lsp.inlay_hint.enable()
vim.cmd.filetype('on')
vim.cmd.edit(file)
vim.bo.filetype = 'python'

local function until_true(what, condition)
  assert(vim.wait(PATIENCE, condition, 20), 'no ' .. what)
end

until_true('client', function()
  return #vim.lsp.get_clients({ bufnr = 0 }) > 0
end)
local client = vim.lsp.get_clients({ bufnr = 0 })[1]
until_true('initialisation', function()
  return client.initialized
end)
until_true('diagnostics', function()
  return #vim.diagnostic.get(0) > 0
end)
until_true('hints', function()
  return #vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0
end)

local function ask(method, params)
  local answer = assert(client:request_sync(method, params, PATIENCE, 0))
  assert(not answer.err, vim.inspect(answer.err))
  return answer.result
end

local function place(needle, shift)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local start = line:find(needle, 1, true)
    if start then
      vim.api.nvim_win_set_cursor(0, { number, start - 1 + (shift or 0) })
      return vim.lsp.util.make_position_params(0, client.offset_encoding)
    end
  end
  error('no ' .. needle)
end

local hover = ask('textDocument/hover', place('A_tile'))
local completion = ask('textDocument/completion', place('T.gemm', 4))
local document = vim.lsp.util.make_text_document_params(0)
local lenses = ask('textDocument/codeLens', { textDocument = document })
local shown = vim.diagnostic.get(0)
local found
for _, it in ipairs(shown) do
  found = it.code == 'shared-memory-overflow' and it.user_data.lsp or found
end
local actions = ask('textDocument/codeAction', {
  textDocument = document,
  range = found.range,
  context = { diagnostics = { found }, only = { 'quickfix' } },
})
local show
for _, lens in ipairs(lenses) do
  show = lens.command.title == 'Show assembly' and lens.command or show
end
local uri = ask('workspace/executeCommand', { command = show.command, arguments = show.arguments })
local listing = ask('workspace/textDocumentContent', { uri = uri })
vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)

local function each(list, get)
  return vim.tbl_map(get, list)
end
io.write(vim.json.encode({
  diagnostics = each(shown, function(it)
    return it.message
  end),
  hints = each(vim.lsp.inlay_hint.get({ bufnr = 0 }), function(it)
    return table.concat(each(it.inlay_hint.label, function(part)
      return part.value
    end))
  end),
  hover = hover.contents.value,
  completion = each(completion.items, function(it)
    return it.label
  end),
  lenses = each(lenses, function(it)
    return it.command.title
  end),
  actions = each(actions, function(it)
    return it.title
  end),
  listing = listing.text,
  fixed = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'),
}))
vim.cmd('qall!')

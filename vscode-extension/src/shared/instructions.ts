/**
 * What instructions do, in a sentence, with their modifiers. Sources: "CUDA Binary Utilities" (tables of SASS opcodes) and
 * "PTX ISA", both of NVIDIA. SASS is not specified any further, so what is said of it is what those tables say.
 */
import type { ListingLine } from './listing';

const SASS: Record<string, string> = {
  HMMA: 'Matrix product on the tensor cores, half-precision inputs: D = A × B + C, by one warp.',
  IMMA: 'Matrix product on the tensor cores, integer inputs.',
  DMMA: 'Matrix product on the tensor cores, float64.',
  BMMA: 'Matrix product on the tensor cores, single bits.',
  QMMA: 'Matrix product on the tensor cores, 8-bit floating-point inputs.',
  OMMA: 'Matrix product on the tensor cores, 4-bit floating-point inputs.',
  HGMMA: 'Matrix product by a warpgroup (four warps), half-precision inputs read from shared memory; asynchronous.',
  QGMMA: 'Matrix product by a warpgroup, 8-bit floating-point inputs; asynchronous.',
  IGMMA: 'Matrix product by a warpgroup, integer inputs; asynchronous.',
  UTCHMMA: 'Matrix product of the fifth-generation tensor cores into tensor memory, half-precision inputs.',
  UTCQMMA: 'Matrix product of the fifth-generation tensor cores into tensor memory, 8-bit inputs.',
  LDGSTS: 'Asynchronous copy from global to shared memory, without registers (cp.async).',
  LDGDEPBAR: 'Closes a group of asynchronous copies (cp.async.commit_group).',
  DEPBAR: 'Waits until at most so many groups of asynchronous work are unfinished.',
  ARRIVES: 'Signals a barrier in shared memory when asynchronous copies have ended.',
  UTMALDG: 'The tensor memory accelerator copies a tile from global to shared memory.',
  UTMASTG: 'The tensor memory accelerator copies a tile from shared to global memory.',
  UBLKCP: 'Bulk asynchronous copy of consecutive bytes.',
  LDS: 'Loads from shared memory.',
  STS: 'Stores to shared memory.',
  LDSM: 'Loads 8×8 matrices from shared memory, spread over the warp as matrix instructions take them (ldmatrix).',
  STSM: 'Stores 8×8 matrices to shared memory (stmatrix).',
  LDG: 'Loads from global memory.',
  STG: 'Stores to global memory.',
  LDL: 'Loads from local memory: usually a register that was spilled.',
  STL: 'Stores to local memory: usually a register that is spilled.',
  LD: 'Loads from a generic address.',
  ST: 'Stores to a generic address.',
  ATOM: 'Atomic operation that returns the old value.',
  ATOMG: 'Atomic operation in global memory that returns the old value.',
  ATOMS: 'Atomic operation in shared memory.',
  RED: 'Atomic operation in global memory without a result.',
  REDG: 'Atomic operation in global memory without a result.',
  BAR: 'Barrier of the block: waits for, or signals, its threads.',
  MEMBAR: 'Orders memory accesses before others after it.',
  ERRBAR: 'Orders error reports.',
  WARPSYNC: 'Waits for the threads of the warp.',
  WARPGROUP: 'Orders work of a warpgroup before or after asynchronous matrix products.',
  SYNCS: 'Operation on a barrier in shared memory (mbarrier).',
  FENCE: 'Orders accesses through different paths to memory.',
  SHFL: 'Exchanges a register between the threads of a warp.',
  VOTE: 'Asks the threads of a warp for a condition.',
  MATCH: 'Finds the threads of a warp with equal values.',
  REDUX: 'Reduces an integer over a warp.',
  ELECT: 'Chooses one thread of the warp.',
  MOVM: 'Transposes an 8×8 matrix that is spread over a warp.',
  MUFU: 'Special function (reciprocal, exponential, logarithm, sine): a quarter of the rate of other float32 work.',
  S2R: 'Reads a special register, such as a thread or block index.',
  S2UR: 'Reads a special register into a uniform register.',
  CS2R: 'Reads a special register; with SRZ it sets registers to zero.',
  HADD2: 'Adds two pairs of half-precision numbers.',
  HFMA2: 'Multiplies and adds two pairs of half-precision numbers.',
  HMUL2: 'Multiplies two pairs of half-precision numbers.',
  HSETP2: 'Compares pairs of half-precision numbers.',
  FADD: 'Adds float32.',
  FMUL: 'Multiplies float32.',
  FFMA: 'Multiplies and adds float32.',
  FMNMX: 'Minimum or maximum of float32.',
  FSETP: 'Compares float32, into a predicate.',
  FSEL: 'Chooses one of two float32 values by a predicate.',
  FCHK: 'Checks whether a float32 division needs the slow path.',
  DADD: 'Adds float64.',
  DFMA: 'Multiplies and adds float64.',
  DMUL: 'Multiplies float64.',
  F2F: 'Converts between floating-point formats.',
  F2FP: 'Converts float32 values to a smaller format and packs them.',
  F2I: 'Converts a floating-point number to an integer.',
  I2F: 'Converts an integer to a floating-point number.',
  I2FP: 'Converts an integer to float32.',
  IADD3: 'Adds three integers.',
  IMAD: 'Multiplies and adds integers; also used to move, add and shift on the multiplier.',
  VIADD: 'Adds integers.',
  ISETP: 'Compares integers, into a predicate.',
  IMNMX: 'Minimum or maximum of integers.',
  LEA: 'Shifts and adds: computes an address.',
  LOP3: 'Any bitwise function of three operands, given by a truth table.',
  PLOP3: 'Any logical function of three predicates.',
  SHF: 'Shifts two registers as one.',
  SGXT: 'Extends the sign of a field.',
  POPC: 'Counts one bits.',
  BREV: 'Reverses bits.',
  FLO: 'Finds the highest one bit.',
  BMSK: 'Makes a mask of bits.',
  UIADD3: 'Adds three integers, the same for all threads of the warp.',
  UIMAD: 'Multiplies and adds integers, the same for all threads of the warp.',
  ULEA: 'Computes an address, the same for all threads of the warp.',
  ULOP3: 'Bitwise function, the same for all threads of the warp.',
  USHF: 'Shift, the same for all threads of the warp.',
  UMOV: 'Sets a uniform register.',
  ULDC: 'Loads from constant memory into a uniform register: kernel parameters live there.',
  LDC: 'Loads from constant memory: kernel parameters live there.',
  LDCU: 'Loads from constant memory into a uniform register.',
  MOV: 'Copies a register.',
  SEL: 'Chooses one of two registers by a predicate.',
  PRMT: 'Picks bytes from two registers.',
  R2UR: 'Copies a register to a uniform register.',
  P2R: 'Copies predicates to a register.',
  R2P: 'Copies bits of a register to predicates.',
  BRA: 'Jumps.',
  BRX: 'Jumps to a computed place.',
  CALL: 'Calls a function.',
  RET: 'Returns from a function.',
  EXIT: 'Ends the thread.',
  BSSY: 'Marks where threads that diverge come together again.',
  BSYNC: 'Waits for the threads that diverged.',
  NOP: 'Does nothing.',
  USETMAXREG: 'Changes how many registers the warps may use (setmaxnreg).',
};

const PTX: Record<string, string> = {
  mma: 'Matrix product by one warp on the tensor cores: D = A × B + C.',
  wgmma: 'Matrix product by a warpgroup (four warps); asynchronous.',
  tcgen05: 'Work of the fifth-generation tensor cores and their tensor memory.',
  ldmatrix: 'Loads 8×8 matrices from shared memory, spread over the warp as mma takes them.',
  stmatrix: 'Stores 8×8 matrices to shared memory.',
  movmatrix: 'Transposes an 8×8 matrix that is spread over a warp.',
  cp: 'Asynchronous copy, or its groups and waits.',
  ld: 'Loads.',
  ldu: 'Loads what is the same for all threads of the warp.',
  st: 'Stores.',
  atom: 'Atomic operation that returns the old value.',
  red: 'Atomic operation without a result.',
  bar: 'Barrier of the block.',
  barrier: 'Barrier of the block or cluster.',
  mbarrier: 'Operation on a barrier in shared memory.',
  fence: 'Orders memory accesses.',
  membar: 'Orders memory accesses.',
  shfl: 'Exchanges a register between the threads of a warp.',
  vote: 'Asks the threads of a warp for a condition.',
  elect: 'Chooses one thread of the warp.',
  redux: 'Reduces an integer over a warp.',
  ex2: 'Two to a power, approximately.',
  lg2: 'Logarithm to the base two, approximately.',
  rcp: 'Reciprocal.',
  rsqrt: 'Reciprocal of the square root.',
  sqrt: 'Square root.',
  tanh: 'Hyperbolic tangent, approximately.',
  cvt: 'Converts between types.',
  cvta: 'Converts between generic addresses and those of a state space.',
  mov: 'Copies a register, or takes an address.',
  add: 'Adds.',
  sub: 'Subtracts.',
  mul: 'Multiplies.',
  mad: 'Multiplies and adds.',
  fma: 'Multiplies and adds with one rounding.',
  div: 'Divides.',
  rem: 'Remainder.',
  neg: 'Changes the sign.',
  abs: 'Absolute value.',
  min: 'Minimum.',
  max: 'Maximum.',
  and: 'Bitwise and.',
  or: 'Bitwise or.',
  xor: 'Bitwise exclusive or.',
  not: 'Bitwise complement.',
  shl: 'Shifts to the left.',
  shr: 'Shifts to the right.',
  lop3: 'Any bitwise function of three operands, given by a truth table.',
  prmt: 'Picks bytes from two registers.',
  bfe: 'Extracts a field of bits.',
  bfi: 'Inserts a field of bits.',
  setp: 'Compares, into a predicate.',
  selp: 'Chooses one of two values by a predicate.',
  bra: 'Jumps.',
  ret: 'Returns.',
  exit: 'Ends the thread.',
  setmaxnreg: 'Changes how many registers the warps of a group may use.',
};

const SASS_MODIFIERS: Record<string, string> = {
  E: '64-bit address',
  CONSTANT: 'through the read-only path',
  BYPASS: 'without the L1 cache',
  LTC128B: 'fetches 128 bytes into the L2 cache',
  U: 'unsigned',
  U8: 'unsigned 8-bit',
  S8: 'signed 8-bit',
  U16: 'unsigned 16-bit',
  U32: 'unsigned 32-bit',
  S32: 'signed 32-bit',
  WIDE: '64-bit result',
  HI: 'high half of the result',
  MOV: 'used as a move',
  IADD: 'used as an addition',
  SHL: 'used as a shift to the left',
  X: 'with the carry',
  LUT: 'truth table',
  F32: 'float32 accumulator',
  F16: 'float16 accumulator',
  BF16: 'bfloat16',
  TF32: 'TF32 inputs',
  SYNC: 'waits for all threads',
  DEFER_BLOCKING: 'may be scheduled around',
  RCP: 'reciprocal',
  EX2: 'two to a power',
  LG2: 'logarithm to the base two',
  RSQ: 'reciprocal of the square root',
  SQRT: 'square root',
  TANH: 'hyperbolic tangent',
  BFLY: 'partner by exclusive or of the lane',
  UP: 'from lower lanes',
  DOWN: 'from higher lanes',
  IDX: 'from a given lane',
  MT88: 'transposed',
  M88: 'not transposed',
  GE: 'greater or equal',
  GT: 'greater',
  LE: 'less or equal',
  LT: 'less',
  EQ: 'equal',
  NE: 'not equal',
  AND: 'and with a predicate',
  OR: 'or with a predicate',
  FTZ: 'flushes subnormals to zero',
  PACK_AB: 'packs two results',
  SRZ: 'zero',
};

const WIDE = new Set(['64', '128', '256']);

export interface InstructionDoc {
  title: string;
  text: string;
  /** What modifiers and scheduling mean, one a line. */
  details: string[];
}

/** What is known about the instruction of a line; undefined for other lines. */
export function documentationOf(line: ListingLine, stage: string): InstructionDoc | undefined {
  const { opcode } = line;
  if (line.kind !== 'instruction' || opcode === undefined) return undefined;
  const isSass = stage === 'sass';
  const text = isSass ? (SASS[opcode] ?? (opcode.startsWith('U') ? SASS[opcode.slice(1)] : undefined)) : PTX[opcode];
  const details = (line.modifiers ?? []).map((each) => modifier(each, opcode, isSass)).filter((each) => each !== undefined);
  if (line.predicate) details.push(`${line.predicate}: only for threads where this predicate holds`);
  if (line.control) details.push(schedule(line.control));
  return { title: [opcode, ...(line.modifiers ?? [])].join('.'), text: text ?? 'No description.', details };
}

function modifier(name: string, opcode: string, isSass: boolean): string | undefined {
  const shape = isSass ? /^(\d{3,6})$/.exec(name) : /^m(\d+)n(\d+)k(\d+)$/.exec(name);
  if (shape && (!isSass || /MMA$/.test(opcode))) return `${name}: ${isSass ? sassShape(shape[1]!) : `${shape[1]} × ${shape[2]} × ${shape[3]}`} (M × N × K)`;
  if (/^\d+x\d+x\d+$/.test(name)) return `${name}: ${name.split('x').join(' × ')} (M × N × K)`;
  if (isSass && WIDE.has(name)) return `${name}: ${name} bits a thread`;
  if (isSass && /^(LDSM|STSM)$/.test(opcode) && /^[124]$/.test(name)) return `${name}: ${name} matrices`;
  if (!isSass) {
    const vector = /^[vx]([248])$/.exec(name);
    if (vector) return `${name}: ${vector[1]} ${name.startsWith('v') ? 'elements a thread' : 'matrices'}`;
    if (['global', 'shared', 'local', 'param', 'const'].includes(name)) return `${name}: ${name === 'param' ? 'parameters' : `${name} memory`}`;
    return undefined;
  }
  const known = SASS_MODIFIERS[name];
  return known && `${name}: ${known}`;
}

/** `16816` is M16 N8 K16, `1688` is M16 N8 K8, `884` is M8 N8 K4. */
function sassShape(digits: string): string {
  const rest = digits.startsWith('16') ? digits.slice(2) : digits.slice(1);
  return `${digits.startsWith('16') ? 16 : 8} × ${rest[0]} × ${rest.slice(1)}`;
}

function schedule({ stall, yield: yields, write, read, wait }: NonNullable<ListingLine['control']>): string {
  return [
    `issues ${stall} cycle${stall === 1 ? '' : 's'} before the next`,
    yields ? 'lets other warps in' : '',
    wait.length ? `waits for scoreboard ${wait.join(', ')}` : '',
    write === null ? '' : `signals ${write} when the result is there`,
    read === null ? '' : `signals ${read} when the operands are read`,
  ]
    .filter(Boolean)
    .join(' · ');
}

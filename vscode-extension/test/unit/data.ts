/** Listings of test/kernels/matmul.py with tiles of 32 × 32, as `tilelang asm --json` prints them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ListingDocument } from '../../src/shared/listing';

export function captured(name: 'sm_75.sass' | 'sm_80.sass' | 'sm_80.ptx' | 'sm_80.cuda' | 'sm_80.tir' | 'sm_80.tile-ir'): ListingDocument {
  return JSON.parse(readFileSync(join(__dirname, 'data', `${name}.json`), 'utf8')) as ListingDocument;
}

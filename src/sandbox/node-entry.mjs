/** A thread of Node reads JavaScript only; this brings the loader for the rest, and reads what is JavaScript without it. */
import { tsImport } from 'tsx/esm/api';

const { begin } = await tsImport('./node-worker.ts', import.meta.url);
begin((address) => import(address));

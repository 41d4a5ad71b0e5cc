/** Writes the tokenizer that seed 1 trains into a folder, as Python's transformers reads it: `tsx … DIR`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { trainTokenizerFiles } from '../../src/pretrain/train-tokenizer.ts';

const directory = process.argv[2];
if (directory === undefined) throw new Error('name the folder to write to');
mkdirSync(directory, { recursive: true });
const { tokenizer, tokenizerConfig, generationConfig } = trainTokenizerFiles(1);
writeFileSync(join(directory, 'tokenizer.json'), JSON.stringify(tokenizer));
writeFileSync(join(directory, 'tokenizer_config.json'), JSON.stringify(tokenizerConfig));
writeFileSync(join(directory, 'generation_config.json'), JSON.stringify(generationConfig));

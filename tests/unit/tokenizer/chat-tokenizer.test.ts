import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlaygroundError } from '../../../src/runtime/errors.ts';
import { createChatTokenizer } from '../../../src/tokenizer/chat-tokenizer.ts';
import type { ChatMessage, ContentPart } from '../../../src/tokenizer/types.ts';
import { FIXTURE, qwen3Files, qwen3Tokenizer, trainedTokenizer } from './fixtures.ts';

const QWEN3_ADDED = qwen3Files().tokenizer as { added_tokens: { id: number; content: string }[] };

const TOKENIZERS = [
  {
    name: "Qwen3's tokenizer",
    tokenizer: qwen3Tokenizer(),
    cases: FIXTURE.qwen3,
    added: QWEN3_ADDED.added_tokens,
  },
  {
    name: 'a tokenizer trained here',
    tokenizer: trainedTokenizer(),
    cases: FIXTURE.trained,
    added: (FIXTURE.trained.files.tokenizer as typeof QWEN3_ADDED).added_tokens,
  },
];

const user = (...content: ContentPart[]): ChatMessage => ({ role: 'user', content });
const system = (...content: ContentPart[]): ChatMessage => ({ role: 'system', content });

describe.each(TOKENIZERS)('$name', ({ tokenizer, cases, added }) => {
  const addedIds = new Set(added.map(({ id }) => id));
  const addedIn = (ids: Int32Array): number[] => Array.from(ids).filter((id) => addedIds.has(id));
  const arbitraryText = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(fc.oneof(fc.constantFrom(...added.map(({ content }) => content)), fc.string({ maxLength: 4 }))).map((texts) => texts.join('')),
  );

  it.each(cases.texts)('gives the ids of Python for $text', ({ text, ids }) => {
    expect(Array.from(tokenizer.encode(text))).toEqual(ids);
  });

  it.each(cases.chats)('renders a chat to the ids of Python, $messages.length messages', ({ messages, open, ids }) => {
    const rendered = tokenizer.chat(messages.map(({ role, content }) => ({ role, content: [content] })), open);
    expect(Array.from(rendered.ids)).toEqual(ids);
    expect(rendered.idPartStarts).toEqual([]);
  });

  it('gives every text back, composed', () => {
    fc.assert(fc.property(arbitraryText, (text) => {
      expect(tokenizer.decode(tokenizer.encode(text))).toBe(text.normalize('NFC'));
    }));
  });

  it('never reads a text as a special token', () => {
    for (const { content } of added) expect(addedIn(tokenizer.encode(content))).toEqual([]);
    fc.assert(fc.property(arbitraryText, (text) => addedIn(tokenizer.encode(text)).length === 0));
  });

  it('shows as many special tokens in a chat as the template prints, whatever the contents say', () => {
    const expected = addedIn(tokenizer.chat([system('a'), user('b')], true).ids);
    fc.assert(fc.property(arbitraryText, arbitraryText, (first, second) => {
      expect(addedIn(tokenizer.chat([system(first), user(second)], true).ids)).toEqual(expected);
    }));
  });

  it('keeps id parts as they are and tells where they start', () => {
    const idPart = fc.array(fc.nat({ max: 400 })).map((ids) => Int32Array.from(ids));
    const parts = fc.array(fc.oneof(fc.string(), idPart), { maxLength: 5 });
    fc.assert(fc.property(parts, parts, (first, second) => {
      const { ids, idPartStarts } = tokenizer.chat([system(...first), user(...second)], true);
      const given = [...first, ...second].filter((part) => typeof part !== 'string');
      expect(idPartStarts).toHaveLength(given.length);
      given.forEach((part, index) => {
        const start = idPartStarts[index] ?? NaN;
        expect(Array.from(ids.subarray(start, start + part.length))).toEqual(Array.from(part));
      });
    }));
  });

  it('encodes neighbouring strings as one', () => {
    fc.assert(fc.property(fc.array(fc.string()), (parts) => {
      expect(tokenizer.chat([user(...parts)], true)).toEqual(tokenizer.chat([user(parts.join(''))], true));
    }));
  });

  it('is not misled by the stand-ins that mark contents in the template', () => {
    const contents = ['\uE0000\uE001', '\uE0001\uE001', '\uE000', '\uE001 \uE000'];
    for (const content of contents) {
      const { ids } = tokenizer.chat([system('x'), user(content), system('y')], false);
      const clean = tokenizer.chat([system('x'), user('z'), system('y')], false);
      expect(tokenizer.decode(ids)).toBe(tokenizer.decode(clean.ids).replace('z', content));
    }
  });

  it('gives every caller arrays of its own', () => {
    const first = tokenizer.encode('sum');
    first.fill(0);
    tokenizer.chat([user('sum')], true).ids.fill(0);
    expect(tokenizer.decode(tokenizer.encode('sum'))).toBe('sum');
    expect(tokenizer.decode(tokenizer.chat([user('sum')], false).ids)).toContain('sum');
  });

  it('drops special tokens when decoding, and names them when showing tokens', () => {
    const { ids } = tokenizer.chat([user('27+58=?')], true);
    expect(tokenizer.decode(ids)).toBe('user\n27+58=?\nassistant\n');
    expect(Array.from(ids, (id) => tokenizer.tokenText(id)).join('')).toBe('<|im_start|>user\n27+58=?<|im_end|>\n<|im_start|>assistant\n');
  });

  it('bans every special token that ends nothing', () => {
    const names = (ids: readonly number[]): string[] => ids.map((id) => tokenizer.tokenText(id));
    expect(names(tokenizer.bannedIds)).toContain('<|im_start|>');
    expect(names(tokenizer.bannedIds)).not.toContain('<|im_end|>');
    expect(tokenizer.decode(tokenizer.bannedIds)).toBe('');
  });

  it('decodes nothing to nothing and skips ids that do not exist', () => {
    expect(tokenizer.encode('')).toHaveLength(0);
    expect(tokenizer.decode([])).toBe('');
    expect(tokenizer.decode([-1, 10_000_000])).toBe('');
    expect(tokenizer.tokenText(10_000_000)).toBe('<10000000>');
  });
});

describe('stop tokens', () => {
  const { tokenizer, tokenizerConfig } = FIXTURE.trained.files;
  const endOfTurn = trainedTokenizer().stopIds;

  it('come from the generation config, one or several', () => {
    expect(createChatTokenizer({ tokenizer, tokenizerConfig, generationConfig: { eos_token_id: 5 } }).stopIds).toEqual([5]);
    expect(createChatTokenizer({ tokenizer, tokenizerConfig, generationConfig: { eos_token_id: [5, 6] } }).stopIds).toEqual([5, 6]);
  });

  it("are the tokenizer's own end of sequence without one", () => {
    for (const generationConfig of [null, {}]) {
      expect(createChatTokenizer({ tokenizer, tokenizerConfig, generationConfig }).stopIds).toEqual(endOfTurn);
    }
    expect(endOfTurn.map((id) => trainedTokenizer().tokenText(id))).toEqual(['<|im_end|>']);
  });
});

describe('files that do not describe a chat tokenizer', () => {
  const { tokenizer, tokenizerConfig, generationConfig } = FIXTURE.trained.files;
  const config = tokenizerConfig as Record<string, unknown>;
  const refused = [
    { what: 'no tokenizer', files: { tokenizer: null, tokenizerConfig, generationConfig }, code: 'tokenizer-files' },
    { what: 'no model', files: { tokenizer: {}, tokenizerConfig, generationConfig }, code: 'tokenizer-files' },
    { what: 'no template', files: { tokenizer, tokenizerConfig: { ...config, chat_template: null }, generationConfig }, code: 'chat-template-missing' },
    { what: 'no stop token', files: { tokenizer, tokenizerConfig: { ...config, eos_token: null }, generationConfig: null }, code: 'stop-token-missing' },
  ];

  it.each(refused)('are refused: $what', ({ files, code }) => {
    expect(() => createChatTokenizer(files)).toThrow(expect.objectContaining({ code }) as Error);
    expect(() => createChatTokenizer(files)).toThrow(PlaygroundError);
  });

  it('are refused when used: a template that hides a message', () => {
    const hiding = createChatTokenizer({
      tokenizer,
      tokenizerConfig: { ...config, chat_template: "{% for m in messages if m.role == 'user' %}{{ m.content }}{% endfor %}" },
      generationConfig,
    });
    expect(hiding.chat([user('a')], true).ids).toHaveLength(1);
    expect(() => hiding.chat([system('x'), user('a')], true)).toThrow(expect.objectContaining({ code: 'chat-template-content' }) as Error);
  });
});

it('a token that ends inside a character is shown by its bytes', () => {
  const tokenizer = trainedTokenizer();
  const shown = Array.from(tokenizer.encode('ü'), (id) => tokenizer.tokenText(id));
  expect(shown).toEqual(['<0xC3>', '<0xBC>']);
});

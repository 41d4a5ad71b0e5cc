/**
 * A model's tokenizer and chat template, read from its repository's files. The two parts of transformers.js that this
 * takes are used by themselves: the whole of it costs a worker a megabyte and a third of a second.
 */
import { Template } from '@huggingface/jinja';
import { Tokenizer } from '@huggingface/tokenizers';
import { PlaygroundError } from '../runtime/errors.ts';
import { fromByteCharacters } from './byte-alphabet.ts';
import { LruCache } from './lru-cache.ts';
import { readTokenizerFiles, type TokenizerJson } from './tokenizer-json.ts';
import type { ChatMessage, ChatTokenizer, ContentPart, RenderedChat } from './types.ts';

/** Encoded strings kept; the same profiles, questions and instructions come back in every iteration. */
const ENCODED_STRINGS_KEPT = 4096;

/**
 * Stand-ins for message contents while the template is rendered: characters of private use, which no template trims or
 * tests for. Contents never go through the template, so a user's text may contain them.
 */
const SENTINEL_OPEN = '\uE000';
const SENTINEL_CLOSE = '\uE001';
const SENTINEL = new RegExp(`${SENTINEL_OPEN}(\\d+)${SENTINEL_CLOSE}`);

/** A rendered template cut at the contents: ids of its own text, and indices of messages. */
type Skeleton = readonly (Int32Array | number)[];

/**
 * Builds the tokenizer. `generationConfig` names the stop tokens; without it the tokenizer's own end-of-sequence token
 * counts. Throws a PlaygroundError when the files do not describe a tokenizer with a chat template and a stop token.
 */
export function createChatTokenizer(files: {
  tokenizer: unknown;
  tokenizerConfig: unknown;
  generationConfig: unknown;
}): ChatTokenizer {
  const { tokenizer, config, stopIds, template, namedTokens } = readTokenizerFiles(files);
  // Without its added tokens it has no way of reading text as a special token, whatever the text.
  const plain = new Tokenizer({ ...tokenizer, added_tokens: [] }, config);
  const added = new Map(tokenizer.added_tokens.map((token) => [token.id, token]));
  const splitAdded = addedTokenSplitter(tokenizer);
  const jinja = new Template(template);
  const encoded = new LruCache<string, Int32Array>(ENCODED_STRINGS_KEPT);
  const skeletons = new Map<string, Skeleton>();

  function encode(text: string): Int32Array {
    if (text === '') return new Int32Array(0);
    return encoded.get(text, () => Int32Array.from(plain.encode(text, { add_special_tokens: false }).ids));
  }

  /** The template's own text, in which special tokens are what they say. */
  function encodeTemplateText(text: string): Int32Array {
    return concatenated(splitAdded(text).map((piece) => (typeof piece === 'number' ? Int32Array.of(piece) : encode(piece))));
  }

  /** What the template says around contents; it depends on the roles alone. */
  function skeletonOf(messages: readonly ChatMessage[], openAssistantTurn: boolean): Skeleton {
    const key = JSON.stringify([openAssistantTurn, ...messages.map(({ role }) => role)]);
    const known = skeletons.get(key);
    if (known) return known;
    const rendered = jinja.render({
      messages: messages.map(({ role }, index) => ({ role, content: `${SENTINEL_OPEN}${index}${SENTINEL_CLOSE}` })),
      add_generation_prompt: openAssistantTurn,
      ...namedTokens,
    });
    // A split by a pattern with a group alternates between the text around matches and the group.
    const skeleton = rendered.split(SENTINEL).map((piece, i) => (i % 2 === 0 ? encodeTemplateText(piece) : Number(piece)));
    messages.forEach((message, index) => {
      if (skeleton.filter((piece) => piece === index).length === 1) return;
      throw new PlaygroundError(
        'chat-template-content',
        `The model's chat template does not show the ${message.role} message exactly once.`,
        'Choose a model whose chat template accepts system, user and assistant messages.',
      );
    });
    skeletons.set(key, skeleton);
    return skeleton;
  }

  function chat(messages: readonly ChatMessage[], openAssistantTurn: boolean): RenderedChat {
    const pieces: Int32Array[] = [];
    // By message, because a template may move the system message.
    const starts = messages.map((): number[] => []);
    let length = 0;
    const push = (ids: Int32Array): void => {
      pieces.push(ids);
      length += ids.length;
    };
    for (const piece of skeletonOf(messages, openAssistantTurn)) {
      if (typeof piece !== 'number') {
        push(piece);
        continue;
      }
      for (const part of joinStrings(messages[piece]?.content ?? [])) {
        if (typeof part !== 'string') starts[piece]?.push(length);
        push(typeof part === 'string' ? encode(part) : part);
      }
    }
    return { ids: concatenated(pieces), idPartStarts: starts.flat() };
  }

  function decode(ids: ArrayLike<number>): string {
    let text = '';
    let run: number[] = [];
    const flush = (): void => {
      if (run.length > 0) text += plain.decode(run, { clean_up_tokenization_spaces: false });
      run = [];
    };
    for (const id of Array.from(ids)) {
      const token = added.get(id);
      if (token) {
        flush();
        if (!token.special) text += token.content;
      } else if (plain.id_to_token(id) !== undefined) {
        run.push(id);
      }
    }
    flush();
    return text;
  }

  function tokenText(id: number): string {
    const token = added.get(id)?.content;
    if (token !== undefined) return token;
    const written = plain.id_to_token(id);
    if (written === undefined) return `<${id}>`;
    const text = decode([id]);
    // A token may end in the middle of a character: then its bytes say more than a replacement character.
    const bytes = text.includes('\uFFFD') ? fromByteCharacters(written) : null;
    return bytes ? bytes.map((byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`).join('') : text;
  }

  const bannedIds = tokenizer.added_tokens.flatMap(({ id, special }) => (special && !stopIds.includes(id) ? [id] : []));
  return { stopIds, bannedIds, encode: (text) => encode(text).slice(), chat, decode, tokenText };
}

/** Cuts text into ids of added tokens, the longest first, and the text between them. */
function addedTokenSplitter(tokenizer: TokenizerJson): (text: string) => (string | number)[] {
  const byContent = new Map(tokenizer.added_tokens.map(({ content, id }) => [content, id]));
  const longestFirst = [...byContent.keys()].sort((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return (text) => [text];
  const pattern = new RegExp(`(${longestFirst.map((content) => content.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|')})`);
  return (text) => text.split(pattern).map((piece) => byContent.get(piece) ?? piece);
}

/** Neighbouring strings as one, so that a border between two parts never shows in the ids. */
function joinStrings(parts: readonly ContentPart[]): ContentPart[] {
  const joined: ContentPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined;
}

function concatenated(pieces: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    all.set(piece, offset);
    offset += piece.length;
  }
  return all;
}

/** The embedded model's tokenizer as the files of an ordinary Hugging Face repository. */
import { PRETOKENIZER_PATTERN, vocabularyOf, type Merge } from './bpe.ts';

export const END_OF_TEXT = '<|endoftext|>';
export const TURN_START = '<|im_start|>';
export const TURN_END = '<|im_end|>';

/** In the order of their ids, which follow the ordinary tokens'. */
export const SPECIAL_TOKENS = [END_OF_TEXT, TURN_START, TURN_END] as const;

/** ChatML: `<|im_start|>role\ncontent<|im_end|>\n` per message. */
export const CHAT_TEMPLATE =
  `{%- for message in messages %}{{- '${TURN_START}' + message.role + '\\n' + message.content + '${TURN_END}\\n' }}{%- endfor %}` +
  `{%- if add_generation_prompt %}{{- '${TURN_START}assistant\\n' }}{%- endif %}`;

/** Longest input the embedded model is meant for, in tokens. */
export const MODEL_MAX_LENGTH = 1024;

/** Contents of the three JSON files by what they are for; `vocabularySize` counts the special tokens too. */
export interface TokenizerFiles {
  tokenizer: object;
  tokenizerConfig: object;
  generationConfig: object;
  vocabularySize: number;
}

/** The files of a tokenizer with these merges. They load in Python's transformers unchanged. */
export function tokenizerFiles(merges: readonly Merge[]): TokenizerFiles {
  const tokens = vocabularyOf(merges);
  const specials = SPECIAL_TOKENS.map((content, index) => ({ id: tokens.length + index, content, ...SPECIAL_FLAGS }));
  const idOf = (content: string): number => tokens.length + SPECIAL_TOKENS.findIndex((token) => token === content);
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };
  return {
    vocabularySize: tokens.length + specials.length,
    tokenizer: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: specials,
      normalizer: { type: 'NFC' },
      pre_tokenizer: {
        type: 'Sequence',
        pretokenizers: [
          { type: 'Split', pattern: { Regex: PRETOKENIZER_PATTERN }, behavior: 'Isolated', invert: false },
          byteLevel,
        ],
      },
      post_processor: byteLevel,
      decoder: byteLevel,
      model: {
        type: 'BPE',
        dropout: null,
        unk_token: null,
        continuing_subword_prefix: '',
        end_of_word_suffix: '',
        fuse_unk: false,
        byte_fallback: false,
        ignore_merges: false,
        vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
        merges: merges.map(([left, right]) => [left, right]),
      },
    },
    tokenizerConfig: {
      add_bos_token: false,
      add_prefix_space: false,
      added_tokens_decoder: Object.fromEntries(specials.map(({ id, ...rest }) => [id, rest])),
      additional_special_tokens: [TURN_START, TURN_END],
      bos_token: null,
      chat_template: CHAT_TEMPLATE,
      clean_up_tokenization_spaces: false,
      eos_token: TURN_END,
      errors: 'replace',
      model_max_length: MODEL_MAX_LENGTH,
      pad_token: END_OF_TEXT,
      split_special_tokens: false,
      tokenizer_class: 'Qwen2Tokenizer',
      unk_token: null,
    },
    generationConfig: {
      do_sample: true,
      temperature: 1,
      eos_token_id: idOf(TURN_END),
      pad_token_id: idOf(END_OF_TEXT),
    },
  };
}

const SPECIAL_FLAGS = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true } as const;

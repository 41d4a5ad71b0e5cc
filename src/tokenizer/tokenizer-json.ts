/** Reads and checks what the files of a repository say about text: vocabulary, added tokens, template, stop tokens. */
import { z } from 'zod';
import { PlaygroundError } from '../runtime/errors.ts';

z.config({ jitless: true });

const addedTokenSchema = z.looseObject({ id: z.int().min(0), content: z.string().min(1), special: z.boolean().default(false) });

const tokenizerSchema = z.looseObject({
  model: z.looseObject({}),
  pre_tokenizer: z.looseObject({}).nullable().default(null),
  normalizer: z.looseObject({}).nullable().default(null),
  post_processor: z.looseObject({}).nullable().default(null),
  decoder: z.looseObject({}).nullable().default(null),
  added_tokens: z.array(addedTokenSchema).default([]),
});

/** A token by its text; older files wrap it. */
const tokenTextSchema = z.union([z.string(), z.looseObject({ content: z.string() }).transform(({ content }) => content)]);

const NAMED_TOKENS = ['bos_token', 'eos_token', 'unk_token', 'sep_token', 'pad_token', 'cls_token', 'mask_token'] as const;

const configSchema = z.looseObject({
  chat_template: z.union([z.string(), z.array(z.looseObject({ name: z.string(), template: z.string() }))]).nullish(),
});

const generationSchema = z.looseObject({ eos_token_id: z.union([z.int(), z.array(z.int())]).nullish() });

export type TokenizerJson = z.output<typeof tokenizerSchema>;

export interface TokenizerParts {
  tokenizer: TokenizerJson;
  config: z.output<typeof configSchema>;
  stopIds: number[];
  /** The chat template, in Jinja. */
  template: string;
  /** `bos_token` and so on, which templates may print. */
  namedTokens: Record<string, string>;
}

/** Throws a PlaygroundError when something is missing or has another shape. */
export function readTokenizerFiles(files: { tokenizer: unknown; tokenizerConfig: unknown; generationConfig: unknown }): TokenizerParts {
  const tokenizer = parsed('tokenizer.json', tokenizerSchema, files.tokenizer);
  const config = parsed('tokenizer_config.json', configSchema, files.tokenizerConfig);
  const generation = parsed('generation_config.json', generationSchema, files.generationConfig ?? {});

  const namedTokens: Record<string, string> = {};
  for (const name of NAMED_TOKENS) {
    const text = tokenTextSchema.safeParse(config[name]);
    if (text.success) namedTokens[name] = text.data;
  }

  const template = chatTemplate(config.chat_template);
  if (template === null) {
    throw new PlaygroundError(
      'chat-template-missing',
      'The model has no chat template.',
      'Choose an instruction-tuned model, or put a "chat_template" into its tokenizer_config.json.',
    );
  }

  const ownEnd = tokenizer.added_tokens.find(({ content }) => content === namedTokens['eos_token'])?.id;
  const stopIds = [generation.eos_token_id ?? ownEnd ?? []].flat();
  if (stopIds.length === 0) {
    throw new PlaygroundError(
      'stop-token-missing',
      'The model does not say which token ends an utterance.',
      'Put an "eos_token_id" into its generation_config.json.',
    );
  }
  return { tokenizer, config, stopIds, template, namedTokens };
}

/** The template itself, or the one named "default" among several. */
function chatTemplate(given: z.output<typeof configSchema>['chat_template']): string | null {
  if (typeof given === 'string') return given;
  return given?.find(({ name }) => name === 'default')?.template ?? given?.[0]?.template ?? null;
}

function parsed<S extends z.ZodType>(file: string, schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new PlaygroundError('tokenizer-files', `${file} is not what a tokenizer needs.`, z.prettifyError(result.error), {
    cause: result.error,
  });
}

/** Text is data: a string part never yields a special token. An id part goes in as it is. */
export type ContentPart = string | Int32Array;

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: readonly ContentPart[];
}

export interface RenderedChat {
  ids: Int32Array;
  /** Where each id part of the messages starts in `ids`, in order of appearance (empty id parts included). */
  idPartStarts: number[];
}

export interface ChatTokenizer {
  /** Ids that end an utterance, from the generation config. */
  readonly stopIds: readonly number[];
  /** Special tokens that end nothing. An utterance goes into others' prompts as ids, so an agent that says one of these could forge a turn. */
  readonly bannedIds: readonly number[];
  /** Plain text to ids; strings that look like special tokens come out as ordinary text tokens. */
  encode(text: string): Int32Array;
  /** The model's own chat template around the messages; ends with the opening of an assistant turn when asked. */
  chat(messages: readonly ChatMessage[], openAssistantTurn: boolean): RenderedChat;
  /** Ids to text, special tokens dropped. */
  decode(ids: ArrayLike<number>): string;
  /** One token as it should be shown, special tokens by name. */
  tokenText(id: number): string;
}

/** The very prompt that an agent will read, as its model's chat template writes it. Loads a tokenizer and no weights. */
import { readTextFiles } from '../../checkpoint/repository.ts';
import type { Experiment } from '../../experiment/schema.ts';
import { parentsOf, type Game } from '../../marft/game.ts';
import { agentLabel, agentMessages, type Told } from '../../marft/prompt.ts';
import { PlaygroundError } from '../../runtime/errors.ts';
import { taskByName } from '../../tasks/registry.ts';
import { createChatTokenizer } from '../../tokenizer/chat-tokenizer.ts';
import type { ChatTokenizer } from '../../tokenizer/types.ts';
import { openModel } from '../trainer/open-model.ts';
import type { ModelAccess } from '../trainer/protocol.ts';

export interface PromptPiece {
  text: string;
  /** A special token of the template. */
  special: boolean;
}

const NAMED_TOKEN = /^<\|.*\|>$/s;
const NEEDS_TOKENIZER = 'The preview needs the model’s tokenizer, which is not on this device yet. Download the model under "Models" first.';

/** The experiment's tokenizer. Throws a PlaygroundError that says why it cannot be had; `embedded` is where the page's own models lie. */
export async function openTokenizer(model: string, access: ModelAccess, embedded: string): Promise<ChatTokenizer> {
  if (access.kind === 'direct') throw new PlaygroundError('model-not-stored', NEEDS_TOKENIZER, '');
  try {
    const { source } = await openModel(model, access, null, embedded);
    return createChatTokenizer(await readTextFiles(source));
  } catch (cause) {
    if (cause instanceof PlaygroundError && cause.code === 'model-not-stored') throw new PlaygroundError('model-not-stored', NEEDS_TOKENIZER, '', { cause });
    throw cause;
  }
}

/** A problem to show the prompt with; null where none is there before the task's data are. */
export function sampleProblem({ task }: Experiment): Told | null {
  const chosen = taskByName(task.name, task.options, task.weights, task.reward);
  return (chosen.prepare ? chosen.sample?.() : chosen.heldOut(1, 0))?.[0] ?? null;
}

/** The prompt of an agent's first turn in pieces; what the others will have said is a note in brackets. */
export function promptPieces(tokenizer: ChatTokenizer, game: Game, agent: number, problem: Told): PromptPiece[] {
  const said = parentsOf(game, agent).map((parent) => ({ agent: parent, content: `(what ${agentLabel(game, parent)} says)` }));
  const { ids } = tokenizer.chat(agentMessages(game, agent, problem, said), true);
  const pieces: PromptPiece[] = [];
  let plain: number[] = [];
  const flush = (): void => {
    if (plain.length > 0) pieces.push({ text: tokenizer.decode(plain), special: false });
    plain = [];
  };
  for (const id of ids) {
    const text = tokenizer.tokenText(id);
    if (NAMED_TOKEN.test(text)) {
      flush();
      pieces.push({ text, special: true });
    } else plain.push(id);
  }
  flush();
  return pieces;
}

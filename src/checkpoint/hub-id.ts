/** Names of models on the Hugging Face Hub: `owner/name`, and `owner/name@revision` for a branch, a tag or a commit. */
import { PlaygroundError } from '../runtime/errors.ts';

export interface HubId {
  /** `owner/name`. */
  repository: string;
  /** A branch, tag or commit. */
  revision: string;
}

const DEFAULT_REVISION = 'main';

/** The Hub's own rules: neither `--`, `..` nor `.git` at the end, so that no name is a path or an option of a program. */
const FORBIDDEN = '(?!.*(?:--|\\.\\.|//))(?![^@]*\\.git(?:@|$))';
const NAME = '[A-Za-z0-9](?:[\\w.-]{0,94}[A-Za-z0-9_])?';
const REVISION = '[A-Za-z0-9](?:[\\w./-]{0,126}[A-Za-z0-9_])?';

/** The source of a regular expression for a whole id, without anchors; its groups are the two fields of `HubId`. */
export const HUB_ID = `${FORBIDDEN}(${NAME}/${NAME})(?:@(${REVISION}))?`;
const WHOLE = new RegExp(`^${HUB_ID}$`);

/** Throws a PlaygroundError (`hub-id`) for anything that is not an id. */
export function parseHubId(text: string): HubId {
  const match = WHOLE.exec(text);
  const repository = match?.[1];
  if (repository === undefined) {
    throw new PlaygroundError(
      'hub-id',
      `"${text.slice(0, 200)}" is no model of the Hub.`,
      'Write owner/name or owner/name@revision, for example Qwen/Qwen2.5-0.5B-Instruct.',
    );
  }
  return { repository, revision: match?.[2] ?? DEFAULT_REVISION };
}

/** The id as `parseHubId` reads it, the revision left out where it is the default. */
export function showHubId({ repository, revision }: HubId): string {
  return revision === DEFAULT_REVISION ? repository : `${repository}@${revision}`;
}

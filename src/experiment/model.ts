/**
 * Which model an experiment trains, as one checked string: the name of a model that comes with the program, or `hub:owner/name@revision`.
 * Nothing else: an experiment from a link or a file must not reach into anybody's folders or to another server.
 */
import { z } from 'zod';
import { HUB_ID, parseHubId, showHubId, type HubId } from '../checkpoint/hub-id.ts';

z.config({ jitless: true });

/** Models that come with the program, by the name of their folder under public/models. */
export const EMBEDDED_MODELS = ['marft-tiny', 'marft-games', 'marft-micro'] as const;
export type EmbeddedModel = (typeof EMBEDDED_MODELS)[number];

const HUB_PREFIX = 'hub:';

export const modelSchema = z
  .string()
  .max(300)
  .regex(
    new RegExp(`^(?:${EMBEDDED_MODELS.join('|')}|${HUB_PREFIX}${HUB_ID})$`),
    `one of ${EMBEDDED_MODELS.map((name) => `"${name}"`).join(', ')} or "hub:owner/name" with or without "@revision"`,
  );

export type ModelChoice = { kind: 'embedded'; name: EmbeddedModel } | { kind: 'hub'; id: HubId };

/** What the string says. Throws a PlaygroundError (`hub-id`) for one that the schema refuses. */
export function modelChoice(model: string): ModelChoice {
  const name = EMBEDDED_MODELS.find((one) => one === model);
  if (name !== undefined) return { kind: 'embedded', name };
  return { kind: 'hub', id: parseHubId(model.startsWith(HUB_PREFIX) ? model.slice(HUB_PREFIX.length) : model) };
}

/** The string for a choice, as the schema takes it. */
export function modelString(choice: ModelChoice): string {
  return choice.kind === 'embedded' ? choice.name : `${HUB_PREFIX}${showHubId(choice.id)}`;
}

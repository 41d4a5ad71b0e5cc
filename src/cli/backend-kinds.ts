import { UsageError, type Arguments } from './arguments.ts';

/** Backends that the command line offers. */
export const BACKEND_KINDS = ['cpu', 'webgpu'] as const;
export type CommandLineBackend = (typeof BACKEND_KINDS)[number];

/** Runs everywhere. */
export const DEFAULT_BACKEND = 'cpu';

/** The backend of that name; null when the command line does not offer it. */
export function backendByName(name: string): CommandLineBackend | null {
  return BACKEND_KINDS.find((one) => one === name) ?? null;
}

/** The one that --backend names, or the default. */
export function backendOf(given: Arguments): CommandLineBackend {
  const named = given.values.get('backend') ?? DEFAULT_BACKEND;
  const kind = backendByName(named);
  if (kind === null) throw new UsageError(`There is no backend "${named}".`, `Choose ${BACKEND_KINDS.join(' or ')}.`);
  return kind;
}

/** Backends that the command line offers. */
export const BACKEND_KINDS = ['cpu', 'webgpu'] as const;
export type CommandLineBackend = (typeof BACKEND_KINDS)[number];

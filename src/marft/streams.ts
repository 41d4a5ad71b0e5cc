/**
 * What random numbers are drawn for. Each purpose has a key of its own after the run's seed, so that, for example,
 * evaluating more often changes nothing about training.
 */
export const STREAM = { problems: 1, sampling: 2, order: 3, evaluation: 4, adapter: 5, critic: 6, criticOrder: 7, chat: 8, verdict: 9 } as const;

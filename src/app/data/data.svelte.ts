/** What the page knows of a table that may become the team's problems. */
import { answerFrom, guessAnswerFrom, type AnswerFrom } from '../../tasks/dataset/answer-from.ts';
import type { Language } from '../../sandbox/types.ts';
import { CODE, codeOptions, OWN_PROBLEMS, type CodeOptions } from '../../tasks/code/code.ts';
import { columnsOf, guessFormat, type Format } from '../../tasks/code/formats.ts';
import { CODE_SETS, type CodeSetName } from '../../tasks/code/known-sets.ts';
import { DATASET, datasetOptions, USER_FILE } from '../../tasks/dataset/dataset.ts';
import { KNOWN_SETS, type KnownSetName } from '../../tasks/dataset/known-sets.ts';
import type { DraftStore } from '../state/draft.svelte.ts';
import type { Reply, Trouble } from '../trainer/protocol.ts';
import { DataClient } from './client.ts';
import type { FileData, HubData, WantedTask } from './protocol.ts';

const QUESTIONS = ['question', 'problem', 'prompt', 'input', 'query', 'task'];
const ANSWERS = ['answer', 'final_answer', 'expected', 'target', 'solution', 'output', 'label', 'result'];

/** What is known of a table before it is looked at. */
interface Known {
  columns?: { question: string; answer: string; how: AnswerFrom };
  format?: Format;
}

export class DataStore {
  /** What is being read, in words; null when nothing is. */
  reading = $state<string | null>(null);
  trouble = $state.raw<Trouble | null>(null);
  data = $state.raw<HubData | FileData | null>(null);
  question = $state('');
  answer = $state('');
  how = $state<AnswerFrom>('whole');
  limit = $state(10_000);
  /** How the table writes down programming problems; null: its rows have a question and an answer. */
  format = $state<Format | null>(null);
  /** Of programming problems. */
  language = $state<Language>('python');
  rewarded = $state<CodeOptions['reward']>('all');
  /** Whether the team that is suggested for such problems is to replace the present one. */
  suggestedTeam = $state(true);

  /** The first row's answer as it will be compared; null where it has none. */
  readonly firstAnswer = $derived(answerFrom(this.data?.table.rows[0]?.[this.answer] ?? '', this.how));
  /** Columns that the format has and the table has not. */
  readonly missing = $derived(this.format === null ? [] : columnsOf(this.format, undefined).filter((column) => !this.data?.table.columns.includes(column)));

  #client: DataClient | null = null;
  /** Of several questions under way the last one counts. */
  #asked = 0;

  constructor(
    private readonly draft: DraftStore,
    private readonly token: () => string | null,
  ) {}

  lookUpKnown(name: KnownSetName): Promise<void> {
    const { source, config, split, question, answer, answerFrom: how } = KNOWN_SETS[name];
    return this.lookUp(source, config, split, { columns: { question, answer, how } });
  }

  lookUpCode(name: CodeSetName): Promise<void> {
    const { source, config, format } = CODE_SETS[name];
    return this.lookUp(source, config, undefined, { format });
  }

  async lookUp(source: string, config?: string, split?: string, known: Known = {}): Promise<void> {
    const name = source.trim();
    await this.#show(`Asking the Hub for ${name.replace(/^hub:/, '')} …`, (client) => client.call((service) => service.lookUp(name, config, split, this.token())), known);
  }

  async readFile(file: File | undefined): Promise<void> {
    if (file) await this.#show(`Reading ${file.name} …`, (client) => client.call((service) => service.readFile(file)));
  }

  /** Reads all of it and makes it the draft's task; false, with the trouble, where it cannot be. */
  async use(): Promise<boolean> {
    const { data } = this;
    if (!data) return false;
    const task = this.#task(data);
    this.reading = 'Reading all rows …';
    this.trouble = null;
    const reply = await this.#worker().call((service) => service.check(task, data.kind === 'file' ? data.file : null, this.token()));
    this.reading = null;
    if (!reply.ok) {
      this.trouble = reply.trouble;
      return false;
    }
    const name = data.kind === 'file' ? data.file.name : data.repository;
    const written = Object.fromEntries(Object.entries(task.options).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])));
    return this.draft.setTask(name.slice(-80), { name: task.name, options: written }, this.suggestedTeam);
  }

  /** Makes the programming problems that come with the page the draft's task. */
  useOwnProblems(): boolean {
    return this.draft.setTask(CODE, { name: CODE, options: { source: OWN_PROBLEMS, language: this.language, reward: this.rewarded } }, this.suggestedTeam);
  }

  #task(data: HubData | FileData): WantedTask {
    const place =
      data.kind === 'file' ? { source: USER_FILE, file: data.file.name.slice(-200), sha256: data.sha256 } : { source: data.source, config: data.config, split: data.split };
    if (this.format !== null) return { name: CODE, options: codeOptions.parse({ ...place, format: this.format, language: this.language, reward: this.rewarded }) };
    return { name: DATASET, options: datasetOptions.parse({ ...place, question: this.question, answer: this.answer, answerFrom: this.how, limit: this.limit }) };
  }

  async #show(words: string, request: (client: DataClient) => Promise<Reply<HubData | FileData>>, { columns, format }: Known = {}): Promise<void> {
    const asked = ++this.#asked;
    this.data = null;
    this.trouble = null;
    this.reading = words;
    const reply = await request(this.#worker());
    if (asked !== this.#asked) return;
    this.reading = null;
    if (!reply.ok) {
      this.trouble = reply.trouble;
      return;
    }
    const { table } = reply.value;
    const pick = (usual: readonly string[], other: number): string =>
      usual.map((name) => table.columns.find((column) => column.toLowerCase() === name)).find((column) => column !== undefined) ?? table.columns[other] ?? table.columns[0] ?? '';
    this.question = columns && table.columns.includes(columns.question) ? columns.question : pick(QUESTIONS, 0);
    this.answer = columns && table.columns.includes(columns.answer) ? columns.answer : pick(ANSWERS, 1);
    this.how = columns?.how ?? guessAnswerFrom(table.rows.map((row) => row[this.answer] ?? ''));
    this.format = format ?? (columns ? null : guessFormat(table.columns));
    this.data = reply.value;
  }

  /** Another column's answers may have to be taken in another way. */
  chooseAnswer(column: string): void {
    this.answer = column;
    this.how = guessAnswerFrom(this.data?.table.rows.map((row) => row[column] ?? '') ?? []);
  }

  #worker(): DataClient {
    this.#client ??= new DataClient(() => (this.#client = null));
    return this.#client;
  }
}

import type { MetricsRegistry } from "../base/mod.ts";
import type { ControllerDebug, DebugPage } from "../controllers/mod.ts";
import { answerFrom, type JournalAnswer, type JournalQuery, type SyncJournal } from "./journal/mod.ts";

/** Questions to the controllers' threads. */
export type Question =
  | { readonly about: "metrics" }
  /** A controller's debug page; `query` as in a URL. */
  | { readonly about: "debug"; readonly controller: string; readonly path: string; readonly query: string }
  /** What was done, and why. */
  | { readonly about: "journal"; readonly query: JournalQuery };

/** The answers by type of question; plain data that can be sent between threads. */
export interface Answers {
  /** In text form. */
  readonly metrics: string;
  /** `undefined` if the thread does not have that controller, or the controller has no such page. */
  readonly debug: DebugPage | undefined;
  readonly journal: JournalAnswer;
}

/** The answer to a question. */
export type Answer<Q extends Question> = Answers[Q["about"]];

/** Asks every thread of controllers; those that cannot answer are left out. */
export type Ask = <Q extends Question>(question: Q) => Promise<readonly Answer<Q>[]>;

/** The data from which a thread answers. */
export interface Knowledge {
  readonly metrics: MetricsRegistry;
  /** By controller name. */
  readonly debug: ReadonlyMap<string, ControllerDebug>;
  /** Absent before the thread's controllers are built. */
  readonly journal: SyncJournal | undefined;
}

const EMPTY: JournalAnswer = { syncs: [], recorded: 0, forgotten: 0 };

type DeskEntry<A extends keyof Answers> = (
  question: Extract<Question, { about: A }>,
  of: Knowledge,
) => Answers[A] | Promise<Answers[A]>;

type Desk = { readonly [A in keyof Answers]: DeskEntry<A> };

const DESK: Desk = {
  metrics: (_, { metrics }) => metrics.render(),
  debug: async ({ controller, path, query }, { debug }) =>
    await debug.get(controller)?.(path, new URLSearchParams(query)),
  journal: ({ query }, { journal }) => journal ? answerFrom(journal, query) : EMPTY,
};

/** Answers a question for one thread. */
export async function answer<Q extends Question>(question: Q, knowledge: Knowledge): Promise<Answer<Q>> {
  // The table's type pairs questions and answers, but a look-up loses that.
  const reply: (question: never, of: Knowledge) => unknown = DESK[question.about];
  return await reply(question as never, knowledge) as Answer<Q>;
}

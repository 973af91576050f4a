/** A record of what controllers did and why: kept in each group, combined on demand. */
export { type AskJournals, type Chain, chainOf, type SyncNode } from "./chain.ts";
export { chainText } from "./chain_text.ts";
export { answerFrom, type JournalAnswer, type JournalQuery } from "./journal_query.ts";
export type { ObjectName, Sync } from "./sync.ts";
export { type JournalLimits, SyncJournal, type SyncJournalOptions } from "./sync_journal.ts";
export { whyAnswer } from "./why_answer.ts";

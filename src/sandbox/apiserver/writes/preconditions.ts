import type { ObjectMeta } from "../../../api/mod.ts";
import { conflict, type Subject } from "../base/mod.ts";

/** What the object that a write is meant for must have. */
export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** @throws {ApiError} 409 if the object does not meet the preconditions. */
export function checkPreconditions(subject: Subject, metadata: ObjectMeta, wanted: Preconditions = {}): void {
  const check = (what: string, value: string | undefined, found: string | undefined, might: string) => {
    if (value === undefined || value === found) return;
    const why = `the ${what} in the precondition (${value}) does not match the ${what} in record (${found ?? ""})`;
    throw conflict(subject, metadata.name!, `${why}. The object might have been ${might}`);
  };
  check("UID", wanted.uid, metadata.uid, "deleted and then recreated");
  check("ResourceVersion", wanted.resourceVersion, metadata.resourceVersion, "modified");
}

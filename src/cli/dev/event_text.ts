import { type Event, objectKey } from "../../api/mod.ts";
import { printable } from "../printable.ts";

/** An event in one line: what it is about, its reason, and what it says. */
export function eventText({ involvedObject, reason = "", message = "" }: Event): string {
  return printable(`${involvedObject.kind} ${objectKey({ metadata: involvedObject })}: ${reason}: ${message}`);
}

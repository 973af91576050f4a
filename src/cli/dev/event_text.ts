import { type Event, objectKey } from "../../api/mod.ts";
import { printable } from "../printable.ts";

/** An event in one line: its object, reason and message. */
export function eventText({ involvedObject, reason = "", message = "" }: Event): string {
  return printable(`${involvedObject.kind} ${objectKey({ metadata: involvedObject })}: ${reason}: ${message}`);
}

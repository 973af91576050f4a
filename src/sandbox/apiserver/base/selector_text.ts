import { type LabelSelector, selectorOf } from "../../../api/mod.ts";
import { isObject } from "./json.ts";

/** A selector as text. It may be a LabelSelector, a map of labels (in old kinds) or text; empty if there is none. */
export function selectorText(selector: unknown): string {
  if (typeof selector === "string") return selector;
  if (!isObject(selector)) return "";
  const isMap = Object.values(selector).every((value) => typeof value === "string");
  // Everything else was decoded as a LabelSelector, or is one by its definition.
  return selectorOf(isMap ? { matchLabels: selector as Record<string, string> } : selector as LabelSelector).toString();
}

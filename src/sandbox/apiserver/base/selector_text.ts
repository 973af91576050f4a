import { type LabelSelector, selectorOf } from "../../../api/mod.ts";
import { isObject } from "./json.ts";

/** A selector as text, whether it is a LabelSelector, a map of labels as old kinds have it, or text already; empty if there is none. */
export function selectorText(selector: unknown): string {
  if (typeof selector === "string") return selector;
  if (!isObject(selector)) return "";
  const isMap = Object.values(selector).every((value) => typeof value === "string");
  // What is no map of labels was read as a LabelSelector, or says so by its definition.
  return selectorOf(isMap ? { matchLabels: selector as Record<string, string> } : selector as LabelSelector).toString();
}

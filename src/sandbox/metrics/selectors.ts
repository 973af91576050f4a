import {
  type FieldSelector,
  parseFieldSelector,
  parseLabelSelector,
  type Selector,
  SelectorError,
} from "../../api/mod.ts";
import { badRequest } from "../apiserver/mod.ts";

/**
 * The label selector in a parameter; empty if absent.
 *
 * @throws {ApiError} 400 if it is malformed.
 */
export function labelsParameter(parameters: URLSearchParams, name = "labelSelector"): Selector {
  return parsed(() => parseLabelSelector(parameters.get(name) ?? ""));
}

const FIELDS = ["metadata.name", "metadata.namespace"];

/**
 * The field selector in a parameter; it only knows names and namespaces.
 *
 * @throws {ApiError} 400 if it is malformed or names another field.
 */
export function fieldsParameter(parameters: URLSearchParams): FieldSelector {
  const selector = parsed(() => parseFieldSelector(parameters.get("fieldSelector") ?? ""));
  const unknown = selector.requirements.find(({ field }) => !FIELDS.includes(field));
  if (unknown) {
    throw badRequest(
      `"${unknown.field}" is not a known field selector: only "metadata.name", "metadata.namespace"`,
    );
  }
  return selector;
}

function parsed<S>(parse: () => S): S {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}

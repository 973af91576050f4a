import type { StoredObject } from "../storage/mod.ts";
import { answerText } from "./answers.ts";
import { objectText } from "./encode.ts";
import { ApiError, badRequest } from "./errors.ts";
import type { Identities } from "./identity.ts";
import type { Form } from "./negotiate.ts";
import type { User } from "./environment.ts";
import type { Operation, ServerState } from "./operation.ts";
import type { Route } from "./routes.ts";
import { renderObject } from "./tables/render.ts";
import type { Watches } from "./watches.ts";

/** One request to a resource and everything its handler needs. */
export interface Exchange {
  readonly state: ServerState;
  readonly route: Route;
  readonly request: Request;
  readonly query: URLSearchParams;
  readonly form: Form;
  readonly user: User;
  readonly identities: Identities;
  readonly watches: Watches;
}

const VALIDATIONS = ["Ignore", "Warn", "Strict"] as const;

/**
 * The circumstances of a write, as the query describes them.
 *
 * @throws {ApiError} 422 or 400 for parameters that cannot be.
 */
export function operationOf({ state, route, query, request, user }: Exchange): Operation {
  const dryRun = query.getAll("dryRun");
  if (dryRun.some((value) => value !== "All")) {
    throw new ApiError(422, "Invalid", `dryRun: Unsupported value: "${dryRun[0]}": supported values: "All"`);
  }
  const manager = query.get("fieldManager");
  if (manager && (manager.length > 128 || !/^[\x20-\x7e]+$/.test(manager))) {
    throw new ApiError(422, "Invalid", "fieldManager: Invalid value: must be at most 128 printable characters");
  }
  const fieldValidation = VALIDATIONS.find((value) => value === (query.get("fieldValidation") || "Warn"));
  if (!fieldValidation) throw badRequest(`fieldValidation: Unsupported value: "${query.get("fieldValidation")}"`);
  return {
    state,
    served: route.served,
    namespace: route.namespace,
    user,
    dryRun: dryRun.length > 0,
    fieldManager: manager || (request.headers.get("user-agent") ?? "unknown").split("/")[0],
    fieldValidation,
    warnings: new Set(),
  };
}

/** An answer that carries one object, in the form that was asked for. */
export function answerObject(
  { form, route, query, state }: Exchange,
  object: StoredObject,
  { status = 200, warnings }: { readonly status?: number; readonly warnings?: Iterable<string> } = {},
): Response {
  const text = form.shape === "object"
    ? objectText(route.served, object)
    : renderObject(route.served, object, { form, query, nowMs: state.world.clock.wallMs() });
  return answerText(text, { status, yaml: form.yaml, warnings });
}

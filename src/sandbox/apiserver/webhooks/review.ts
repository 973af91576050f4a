import { goQuote } from "../../../base/mod.ts";
import { userInfo } from "../access/mod.ts";
import { ApiError, isObject, type JsonObject } from "../base/mod.ts";
import type { Attributes } from "../operations/mod.ts";
import type { ServedResource } from "../resources/mod.ts";
import { namespaceOf } from "./match.ts";
import type { HookKind } from "./hooks.ts";

export const REVIEW_VERSION = "v1";
const API_VERSION = `admission.k8s.io/${REVIEW_VERSION}`;
const KIND = "AdmissionReview";

const OPTIONS = { CREATE: "CreateOptions", UPDATE: "UpdateOptions", DELETE: "DeleteOptions" } as const;

/** The request to a webhook. Upstream: `plugin/webhook/request/admissionreview.go` (CreateV1AdmissionReview). */
export function reviewOf(attributes: Attributes, resource: ServedResource, uid: string): JsonObject {
  const { operation, subresource, name, verb, object, old, view } = attributes;
  const { served, user, dryRun, options } = operation;
  const namespace = namespaceOf(attributes);
  const shown = (each: typeof object) => each === undefined ? null : view.show(resource, each);
  return {
    kind: KIND,
    apiVersion: API_VERSION,
    request: {
      uid,
      kind: kindOf(view.kindIn(resource)),
      resource: gvr(resource),
      ...subresource ? { subResource: subresource } : {},
      requestKind: kindOf(view.kindIn(served)),
      requestResource: gvr(served),
      ...subresource ? { requestSubResource: subresource } : {},
      ...name ? { name } : {},
      ...namespace ? { namespace } : {},
      operation: verb,
      userInfo: userInfo(user),
      object: verb === "DELETE" ? null : shown(object),
      oldObject: shown(old),
      dryRun,
      options: { ...options, kind: OPTIONS[verb], apiVersion: "meta.k8s.io/v1" },
    },
  };
}

function kindOf({ group, version, kind }: ReturnType<Attributes["view"]["kindIn"]>) {
  return { group, version, kind };
}

function gvr({ group, version, plural }: ServedResource) {
  return { group, version, resource: plural };
}

/** A webhook's validated answer. */
export interface Verdict {
  readonly isAllowed: boolean;
  /** A JSON patch; empty if there are no changes. */
  readonly patch: string;
  readonly patchType: string;
  readonly warnings: readonly string[];
  /** Why the write is not allowed. */
  readonly status: JsonObject;
}

/**
 * Reads a webhook's answer. Upstream: `plugin/webhook/request/admissionreview.go` (VerifyAdmissionResponse).
 *
 * @throws {Error} If the answer is invalid.
 */
export function verdictOf(review: unknown, uid: string, kind: HookKind): Verdict {
  if (!isObject(review) || !isObject(review.response)) throw new Error("webhook response was absent");
  const { response } = review;
  if (response.uid !== uid) {
    throw new Error(`expected response.uid=${goQuote(uid)}, got ${goQuote(text(response.uid))}`);
  }
  if (review.apiVersion !== API_VERSION || review.kind !== KIND) {
    const got = `${text(review.apiVersion).replace(/^(?!.*\/)/, "/")}, Kind=${text(review.kind)}`;
    throw new Error(`expected webhook response of ${API_VERSION}, Kind=${KIND}, got ${got}`);
  }
  const patch = checkedPatch(response, kind);
  return {
    isAllowed: response.allowed === true,
    patch,
    patchType: text(response.patchType),
    warnings: Array.isArray(response.warnings) ? response.warnings.filter((each) => typeof each === "string") : [],
    status: isObject(response.status) ? response.status : {},
  };
}

function checkedPatch({ patch, patchType }: JsonObject, kind: HookKind): string {
  const hasPatch = typeof patch === "string" && patch !== "";
  const hasType = patchType !== undefined && patchType !== null;
  if (kind === "validating") {
    if (hasPatch) throw new Error("validating webhook may not return response.patch");
    if (hasType) throw new Error("validating webhook may not return response.patchType");
    return "";
  }
  if (hasPatch && !hasType) throw new Error("webhook returned response.patch but not response.patchType");
  if (!hasPatch && hasType) throw new Error("webhook returned response.patchType but not response.patch");
  if (patchType === "") throw new Error('webhook returned invalid response.patchType of ""');
  if (!hasPatch) return "";
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(patch as string), (char) => char.charCodeAt(0)));
  } catch {
    throw new Error("received undecodable patch in webhook response: it is not base64");
  }
}

/** A webhook's refusal as the client sees it. Upstream: `plugin/webhook/errors/statuserror.go` (ToStatusErr). */
export function rejection(hookName: string, { code, reason, message, details }: JsonObject): ApiError {
  const denied = `admission webhook ${goQuote(hookName)} denied the request`;
  const why = text(message) || text(reason);
  const status = typeof code === "number" && code >= 400 && code < 600 ? Math.trunc(code) : 400;
  const full = why === "" ? `${denied} without explanation` : `${denied}: ${why}`;
  return new ApiError(status, text(reason), full, isObject(details) ? details : undefined);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

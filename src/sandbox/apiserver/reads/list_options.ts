import { parseFieldSelector } from "../../../api/mod.ts";
import { invalid } from "../base/mod.ts";
import { booleanParameter, integerParameter } from "../requests/mod.ts";
import { FieldErrors } from "../validation/mod.ts";

/** The parameters of a list or watch, except for selectors. */
export interface ListOptions {
  /** Whether the query asks for a watch. */
  readonly watch: boolean;
  /** 0 means no limit. */
  readonly limit: number;
  readonly continueToken: string;
  /** As sent; empty if absent. */
  readonly resourceVersion: string;
  readonly match: string;
  readonly allowBookmarks: boolean;
  readonly timeoutSeconds?: number;
  readonly sendInitialEvents?: boolean;
}

const LIST_OPTIONS = { group: "meta.k8s.io", plural: "", kind: "ListOptions" };
const EXACT = "Exact";
const NOT_OLDER = "NotOlderThan";

/**
 * Reads the parameters of a list or watch. Upstream: `apimachinery/pkg/apis/meta/internalversion` (defaults and validation).
 *
 * @throws {ApiError} 400 for invalid numbers, 422 for contradictory parameters.
 */
export function listOptionsOf(query: URLSearchParams): ListOptions {
  const watch = booleanParameter(query, "watch") ?? false;
  const sent = {
    watch,
    allowBookmarks: booleanParameter(query, "allowWatchBookmarks") ?? false,
    resourceVersion: query.get("resourceVersion") ?? "",
    match: query.get("resourceVersionMatch") ?? "",
    timeoutSeconds: integerParameter(query, "timeoutSeconds"),
    limit: Math.max(0, integerParameter(query, "limit") ?? 0),
    continueToken: query.get("continue") ?? "",
    sendInitialEvents: booleanParameter(query, "sendInitialEvents"),
  };
  const options = watch ? withInitialEvents(sent) : sent;
  const errors = new FieldErrors();
  if (watch) validateWatch(options, errors);
  else validateList(options, errors);
  if (errors.count > 0) throw invalid(LIST_OPTIONS, "", errors.causes);
  return options;
}

/** The name in the `fieldSelector`, if it selects by exactly one name. */
export function selectedName(query: URLSearchParams): string | undefined {
  const text = query.get("fieldSelector");
  if (!text) return undefined;
  const { requirements } = parseFieldSelector(text);
  return requirements.find(({ field, operator }) => field === "metadata.name" && operator === "=")?.value;
}

/**
 * A watch from the present begins with the current objects, followed by a bookmark if the client asked for bookmarks.
 */
function withInitialEvents(options: ListOptions): ListOptions {
  const { sendInitialEvents, match, resourceVersion } = options;
  if (sendInitialEvents !== undefined || match !== "" || (resourceVersion !== "" && resourceVersion !== "0")) {
    return options;
  }
  return { ...options, sendInitialEvents: true, match: NOT_OLDER };
}

const MATCH = "resourceVersionMatch";

function validateList(
  { match, resourceVersion, continueToken, sendInitialEvents }: ListOptions,
  errors: FieldErrors,
): void {
  if (match !== "") {
    if (resourceVersion === "") errors.forbidden(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`);
    if (continueToken !== "") errors.forbidden(MATCH, `${MATCH} is forbidden when continue is provided`);
    if (match !== EXACT && match !== NOT_OLDER) errors.notSupported(MATCH, match, [EXACT, NOT_OLDER, ""]);
    if (match === EXACT && resourceVersion === "0") {
      errors.forbidden(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`);
    }
  }
  if (sendInitialEvents === undefined) return;
  errors.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list");
}

function validateWatch({ match, continueToken, sendInitialEvents }: ListOptions, errors: FieldErrors): void {
  if (sendInitialEvents !== undefined && match !== NOT_OLDER) {
    errors.forbidden(MATCH, `sendInitialEvents requires setting ${MATCH} to ${NOT_OLDER}`);
  }
  if (match === "") return;
  if (sendInitialEvents === undefined) {
    errors.forbidden(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`);
  }
  if (match !== NOT_OLDER) errors.notSupported(MATCH, match, [NOT_OLDER]);
  if (continueToken !== "") errors.forbidden(MATCH, `${MATCH} is forbidden when continue is provided`);
}

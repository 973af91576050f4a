import { parseApiVersion, type ValidatingAdmissionPolicy } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { type CelType, DYN, schemaType } from "../../cel/mod.ts";
import type { ServedKind } from "../../client/mod.ts";
import type { CheckedKind, PolicyTypes } from "./check_policy.ts";
import type { PolicyContext } from "./context.ts";

/** The types of a policy's objects and parameters; a kind whose schema is unavailable is left out. */
export async function resolveTypes(
  { spec }: ValidatingAdmissionPolicy,
  kinds: readonly ServedKind[],
  context: Pick<PolicyContext, "schemas" | "world">,
  signal: AbortSignal,
): Promise<PolicyTypes> {
  const checked: CheckedKind[] = [];
  for (const kind of kinds) {
    const object = await typeOf(kind, context, signal);
    if (object) checked.push({ ...kind, object });
  }
  const paramKind = kindOf(spec?.paramKind);
  const params = paramKind && (await typeOf(paramKind, context, signal) ?? DYN);
  return { kinds: checked, params };
}

/** Upstream: paramsGVK. */
function kindOf(
  paramKind: { readonly apiVersion?: string; readonly kind?: string } | undefined,
): ServedKind | undefined {
  const { apiVersion = "", kind = "" } = paramKind ?? {};
  const isUnderstood = kind !== "" && apiVersion.split("/").length <= 2;
  return isUnderstood ? { ...parseApiVersion(apiVersion), kind } : undefined;
}

/** The type of a kind; dynamic if its schema is empty, `undefined` if there is no schema. */
async function typeOf(
  kind: ServedKind,
  { schemas, world: { clock, log } }: Pick<PolicyContext, "schemas" | "world">,
  signal: AbortSignal,
): Promise<CelType | undefined> {
  try {
    const found = await schemas.of(kind, signal);
    if (!found) return undefined;
    // Upstream appends the time in nanoseconds to the kind, so that types from two moments never share a name.
    const nanoseconds = Math.floor((clock.wallMs() % 1_000) * 1_000_000);
    return schemaType(found.reference, found.find, `${kind.kind}${nanoseconds}`) ?? DYN;
  } catch (error) {
    signal.throwIfAborted();
    log.info("The schema of a kind could not be read, expressions are not checked against it", {
      ...kind,
      err: errorText(error),
    });
    return undefined;
  }
}

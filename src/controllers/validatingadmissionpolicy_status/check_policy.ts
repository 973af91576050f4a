import type { ExpressionWarning, ValidatingAdmissionPolicySpec } from "../../api/mod.ts";
import {
  type CelType,
  compile,
  DYN,
  type Environment,
  isTooLarge,
  parseExpression,
  policyEnvironment,
  storedType,
} from "../../cel/mod.ts";
import type { ServedKind } from "../../client/mod.ts";

/** A kind that expressions are checked against. */
export interface CheckedKind extends ServedKind {
  readonly object: CelType;
}

/** The types of the variables in a policy's expressions. */
export interface PolicyTypes {
  readonly kinds: readonly CheckedKind[];
  /** Absent if the policy has no parameters. */
  readonly params: CelType | undefined;
}

/** An expression that takes too long to check. */
interface Unchecked {
  readonly fieldRef: string;
  readonly err: string;
}

/** The longest a policy's warnings may be, in characters: beyond this its status could not be stored. */
const LONGEST_WARNINGS = 512 * 1024;

/**
 * Checks a policy's validations and their message expressions against each of its kinds. May be interrupted between any
 * two steps.
 *
 * Upstream: Check of `apiserver/pkg/admission/plugin/policy/validating/typechecking.go`.
 */
export function* checkPolicy(
  { validations = [], variables = [] }: ValidatingAdmissionPolicySpec,
  { kinds, params }: PolicyTypes,
): Generator<void, { readonly warnings: readonly ExpressionWarning[]; readonly unchecked: readonly Unchecked[] }> {
  const warnings: ExpressionWarning[] = [];
  const unchecked: Unchecked[] = [];
  let length = 0;
  if (kinds.length === 0) return { warnings, unchecked };
  const environments: (readonly [CheckedKind, Environment])[] = [];
  for (const kind of kinds) environments.push([kind, yield* environmentOf(variables, kind.object, params)]);
  for (const [fieldRef, text] of expressionsOf(validations)) {
    try {
      const warning = yield* check(text, environments);
      length += warning.length;
      if (length > LONGEST_WARNINGS) {
        unchecked.push({ fieldRef, err: "the warnings of the policy are too long to be stored" });
        break;
      }
      if (warning !== "") warnings.push({ fieldRef, warning });
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      unchecked.push({ fieldRef, err: error.message });
    }
  }
  return { warnings, unchecked };
}

function* expressionsOf(
  validations: NonNullable<ValidatingAdmissionPolicySpec["validations"]>,
): Iterable<readonly [string, string]> {
  for (const [i, { expression, messageExpression }] of validations.entries()) {
    yield [`spec.validations[${i}].expression`, expression ?? ""];
    if (messageExpression) yield [`spec.validations[${i}].messageExpression`, messageExpression];
  }
}

/** The errors of an expression, for each kind. */
function* check(
  text: string,
  environments: readonly (readonly [CheckedKind, Environment])[],
): Generator<void, string> {
  const parsed = yield* parseExpression(text);
  const messages: string[] = [];
  let length = 0;
  for (const [{ group, version, kind }, environment] of environments) {
    const compiled = yield* compile(parsed, environment);
    if (!("issues" in compiled)) continue;
    const message = `${group}/${version}, Kind=${kind}: ${compiled.issues}\n`;
    messages.push(message);
    length += message.length;
    if (length > LONGEST_WARNINGS) break; // it will be cut off anyway
  }
  return messages.join("\n");
}

/** The environment for objects of one type; a variable that cannot be checked is dynamic. */
function* environmentOf(
  variables: NonNullable<ValidatingAdmissionPolicySpec["variables"]>,
  object: CelType,
  params: CelType | undefined,
): Generator<void, Environment> {
  const known = new Map<string, CelType>();
  const environment = policyEnvironment({ object, params, variables: known });
  for (const { name = "", expression = "" } of variables) {
    try {
      const compiled = yield* compile(yield* parseExpression(expression), environment);
      known.set(name, "type" in compiled ? storedType(compiled.type) : DYN);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      known.set(name, DYN);
    }
  }
  return environment;
}

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

/** What the variables of a policy's expressions are. */
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

/** So long the warnings of a policy may be, in characters: with more its status could not be stored. */
const LONGEST_WARNINGS = 512 * 1024;

/**
 * Checks what a policy demands, and what it says to that, against each of its kinds. It may be interrupted between any two steps.
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

/** What is wrong with an expression, for each kind. */
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
    if (length > LONGEST_WARNINGS) break; // it will not be kept
  }
  return messages.join("\n");
}

/** What names mean where the objects are of one type; a variable that cannot be checked could be anything. */
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

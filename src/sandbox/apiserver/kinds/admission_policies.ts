import type {
  AuditAnnotation,
  MatchCondition,
  MatchResources,
  ParamKind,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
  Validation,
  Variable,
} from "../../../api/mod.ts";
import {
  type CelType,
  compile,
  type Compiled,
  DYN,
  isTooLarge,
  parseExpression,
  policyEnvironment,
  storedType,
  typeText,
} from "../../../cel/mod.ts";
import type { Stored } from "../traits/mod.ts";
import { type Check, each, type FieldErrors, fields, oneOf, qualifiedName } from "../validation/mod.ts";
import { validateRule } from "./webhooks.ts";

const MOST_CONDITIONS = 64;
const MOST_ANNOTATIONS = 20;
const LONGEST_VALUE_BYTES = 5 * 1024;
const REASONS = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const NOTHING = "validations or auditAnnotations must contain at least one item";

/** The result an expression must have, and the variables it may use. */
interface Demand {
  readonly gives?: readonly string[];
  readonly params: boolean;
  readonly authorizer: "none" | "request";
}

/** Compiles the expressions of a policy, each with the variables before it. */
class Compiler {
  readonly #variables = new Map<string, CelType>();

  /** Upstream: CompileCELExpression of `apiserver/pkg/admission/plugin/cel/compile.go`; objects are dynamic. */
  check(text: string, at: string, errors: FieldErrors, { gives, params, authorizer }: Demand): CelType {
    const environment = policyEnvironment({
      object: DYN,
      params: params ? DYN : undefined,
      variables: this.#variables,
      authorizer,
    });
    const compiled = compiledAtOnce(text, environment);
    if ("issues" in compiled) errors.invalid(at, text, `compilation failed: ${compiled.issues}`);
    else if (gives && !gives.includes(compiled.type.kind)) {
      const wanted = gives.length === 1 ? gives[0] : `one of [${gives.join(" ").replace("null", "null_type")}]`;
      errors.invalid(at, text, `must evaluate to ${wanted} but got ${typeText(compiled.type)}`);
    } else return compiled.type;
    return DYN;
  }

  declare(name: string, type: CelType): void {
    this.#variables.set(name, storedType(type));
  }
}

function compiledAtOnce(text: string, environment: ReturnType<typeof policyEnvironment>): Compiled {
  try {
    return finish(compile(finish(parseExpression(text)), environment));
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    return { issues: error.message };
  }
}

function finish<T>(steps: Generator<void, T>): T {
  for (let step = steps.next();; step = steps.next()) if (step.done) return step.value;
}

/** Upstream: validateValidatingAdmissionPolicySpec of `pkg/apis/admissionregistration/validation/validation.go`. */
export function validatePolicy({ metadata, spec = {} }: Stored<ValidatingAdmissionPolicy>, errors: FieldErrors): void {
  const compiler = new Compiler();
  const { paramKind, variables = [], validations = [], auditAnnotations = [] } = spec;
  const demand = { params: paramKind !== undefined, authorizer: "request" } as const;
  specFields(spec, "spec", errors);
  if (paramKind) validateParamKind(paramKind, errors);
  validateMatch(spec.matchConstraints, errors);
  validateConditions(spec, errors, demand);
  for (const [i, variable] of variables.entries()) {
    validateVariable(
      variable,
      `spec.variables[${i}]`,
      errors,
      (text, at) => compiler.check(text, at, errors, demand),
      compiler,
    );
  }
  if (validations.length === 0 && auditAnnotations.length === 0) {
    for (const list of ["validations", "auditAnnotations"]) errors.required(`spec.${list}`, NOTHING);
  }
  for (const [i, validation] of validations.entries()) {
    validateValidation(validation, `spec.validations[${i}]`, errors, { compiler, demand });
  }
  validateAnnotations(auditAnnotations, metadata?.name ?? "", errors, { compiler, demand });
}

const specFields = fields<ValidatingAdmissionPolicySpec>(
  { failurePolicy: "one" },
  "admissionregistration.v1.ValidatingAdmissionPolicySpec",
);
const matchFields = fields<MatchResources>({
  matchPolicy: "one",
  namespaceSelector: "selector",
  objectSelector: "selector",
  resourceRules: each(validateRule),
  excludeResourceRules: each(validateRule),
}, "admissionregistration.v1.MatchResources");

function validateParamKind({ apiVersion = "", kind = "" }: ParamKind, errors: FieldErrors): void {
  if (apiVersion === "") errors.required("spec.paramKind.apiVersion");
  else if (apiVersion.split("/").length > 2) {
    errors.invalid("spec.paramKind.apiVersion", apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  }
  if (kind === "") errors.required("spec.paramKind.kind");
}

function validateMatch(match: MatchResources | undefined, errors: FieldErrors): void {
  if (!match) return errors.required("spec.matchConstraints");
  const at = "spec.matchConstraints";
  matchFields(match, at, errors);
  if (!match.resourceRules?.length) errors.required(`${at}.resourceRules`);
}

function validateConditions(
  { matchConditions = [] }: ValidatingAdmissionPolicySpec,
  errors: FieldErrors,
  demand: Demand,
) {
  const at = "spec.matchConditions";
  if (matchConditions.length > MOST_CONDITIONS) errors.tooMany(at, matchConditions.length, MOST_CONDITIONS);
  const names = new Set<string>();
  const validateOne: Check<MatchCondition> = ({ name = "", expression = "" }, at, errors) => {
    const text = expression.trim();
    if (text === "") errors.required(`${at}.expression`);
    else new Compiler().check(text, `${at}.expression`, errors, { ...demand, gives: ["bool"] });
    if (name === "") errors.required(`${at}.name`);
    else errors.invalidFor(`${at}.name`, name, qualifiedName(name));
    if (name !== "" && names.has(name)) errors.duplicate(`${at}.name`, name);
    names.add(name);
  };
  each(validateOne)(matchConditions, at, errors);
}

function validateVariable(
  { name = "", expression = "" }: Variable,
  at: string,
  errors: FieldErrors,
  check: (text: string, at: string) => CelType,
  compiler: Compiler,
): void {
  if (name.trim() === "") errors.required(`${at}.name`, "name is not specified");
  else if (!IDENTIFIER.test(name)) errors.invalid(`${at}.name`, name, "must be a valid CEL identifier");
  if (expression.trim() === "") errors.required(`${at}.expression`, "expression is not specified");
  else compiler.declare(name, check(expression, `${at}.expression`));
}

interface Compiling {
  readonly compiler: Compiler;
  readonly demand: Demand;
}

function validateValidation(
  { expression = "", message = "", messageExpression = "", reason }: Validation,
  at: string,
  errors: FieldErrors,
  { compiler, demand }: Compiling,
): void {
  if (expression.trim() === "") errors.required(`${at}.expression`, "expression is not specified");
  else compiler.check(expression, `${at}.expression`, errors, { ...demand, gives: ["bool"] });
  const empty = "must be non-empty if specified";
  if (messageExpression !== "" && messageExpression.trim() === "") {
    errors.invalid(`${at}.messageExpression`, messageExpression, empty);
  } else if (messageExpression !== "") {
    const says = { params: demand.params, authorizer: "none", gives: ["string"] } as const;
    compiler.check(messageExpression, `${at}.messageExpression`, errors, says);
  }
  if (message !== "" && message.trim() === "") errors.invalid(`${at}.message`, message, empty);
  else if (/[\n\r]/.test(message.trim())) errors.invalid(`${at}.message`, message, "must not contain line breaks");
  if (reason !== undefined) oneOf(...REASONS)(reason, `${at}.reason`, errors);
}

function validateAnnotations(
  annotations: readonly AuditAnnotation[],
  policy: string,
  errors: FieldErrors,
  { compiler, demand }: Compiling,
): void {
  const at = "spec.auditAnnotations";
  if (annotations.length > MOST_ANNOTATIONS) {
    errors.invalid(at, annotations, `must not have more than ${MOST_ANNOTATIONS} auditAnnotations`);
  }
  const keys = new Set<string>();
  for (const [i, { key = "", valueExpression = "" }] of annotations.entries()) {
    const name = `${policy}/${key}`;
    errors.invalidFor(`${at}[${i}].key`, name, qualifiedName(name));
    const text = valueExpression.trim();
    const where = `${at}[${i}].valueExpression`;
    if (text === "") errors.required(where, "valueExpression is not specified");
    else if (new TextEncoder().encode(text).length > LONGEST_VALUE_BYTES) {
      errors.required(where, `must not exceed ${LONGEST_VALUE_BYTES} bytes in length`);
    } else compiler.check(text, where, errors, { ...demand, gives: ["string", "null"] });
    if (keys.has(key)) errors.duplicate(`${at}[${i}].key`, key);
    keys.add(key);
  }
}

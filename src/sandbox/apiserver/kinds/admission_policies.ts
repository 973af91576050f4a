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
import { runAtOnce } from "../../../base/mod.ts";
import type { Stored } from "../traits/mod.ts";
import {
  byteLength,
  type Check,
  each,
  type FieldErrors,
  fields,
  oneOf,
  qualifiedName,
  required,
} from "../validation/mod.ts";
import { validateRule } from "./webhooks.ts";

const MOST_CONDITIONS = 64;
const MOST_ANNOTATIONS = 20;
const LONGEST_VALUE_BYTES = 5 * 1024;
const REASONS = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const NOTHING = "validations or auditAnnotations must contain at least one item";

/** Compiles the expressions of a policy, each with the variables before it. */
class Compiler {
  readonly #params: CelType | undefined;
  readonly #variables = new Map<string, CelType>();

  constructor({ paramKind }: ValidatingAdmissionPolicySpec) {
    this.#params = paramKind && DYN;
  }

  /**
   * Upstream: CompileCELExpression of `apiserver/pkg/admission/plugin/cel/compile.go`; objects are dynamic.
   *
   * @param gives The types that the result may have; any if there are none.
   */
  check(
    text: string,
    at: string,
    errors: FieldErrors,
    gives: readonly string[],
    authorizer: "none" | "request" = "request",
  ): CelType {
    const environment = policyEnvironment({
      object: DYN,
      params: this.#params,
      variables: this.#variables,
      authorizer,
    });
    const compiled = compiledAtOnce(text, environment);
    if ("issues" in compiled) errors.invalid(at, text, `compilation failed: ${compiled.issues}`);
    else if (gives.length > 0 && !gives.includes(compiled.type.kind)) {
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
    return runAtOnce(compile(runAtOnce(parseExpression(text)), environment));
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    return { issues: error.message };
  }
}

/** Upstream: validateValidatingAdmissionPolicySpec of `pkg/apis/admissionregistration/validation/validation.go`. */
export function validatePolicy({ metadata, spec = {} }: Stored<ValidatingAdmissionPolicy>, errors: FieldErrors): void {
  const compiler = new Compiler(spec);
  const { variables = [], validations = [], auditAnnotations = [] } = spec;
  specFields(spec, "spec", errors);
  validateConditions(spec, errors);
  each(variable(compiler))(variables, "spec.variables", errors);
  if (validations.length === 0 && auditAnnotations.length === 0) {
    for (const list of ["validations", "auditAnnotations"]) errors.required(`spec.${list}`, NOTHING);
  }
  each(validation(compiler))(validations, "spec.validations", errors);
  validateAnnotations(auditAnnotations, metadata?.name ?? "", errors, compiler);
}

const matchFields = fields<MatchResources>({
  matchPolicy: "one",
  namespaceSelector: "selector",
  objectSelector: "selector",
  resourceRules: each(validateRule),
  excludeResourceRules: each(validateRule),
}, "admissionregistration.v1.MatchResources");

const paramKind = fields<ParamKind>({
  apiVersion: required((version, at, errors) => {
    if (version.split("/").length > 2) errors.invalid(at, version, `unexpected GroupVersion string: ${version}`);
  }),
  kind: "!",
});

const match: Check<MatchResources> = (constraints, at, errors) => {
  matchFields(constraints, at, errors);
  if (!constraints.resourceRules?.length) errors.required(`${at}.resourceRules`);
};

const specFields = fields<ValidatingAdmissionPolicySpec>(
  { failurePolicy: "one", paramKind, matchConstraints: required(match) },
  "admissionregistration.v1.ValidatingAdmissionPolicySpec",
);

function validateConditions(spec: ValidatingAdmissionPolicySpec, errors: FieldErrors): void {
  const { matchConditions = [] } = spec;
  const at = "spec.matchConditions";
  if (matchConditions.length > MOST_CONDITIONS) errors.tooMany(at, matchConditions.length, MOST_CONDITIONS);
  const names = new Set<string>();
  const validateOne: Check<MatchCondition> = ({ name = "", expression = "" }, at, errors) => {
    const text = expression.trim();
    if (text === "") errors.required(`${at}.expression`);
    else new Compiler(spec).check(text, `${at}.expression`, errors, ["bool"]);
    if (name === "") errors.required(`${at}.name`);
    else errors.invalidFor(`${at}.name`, name, qualifiedName(name));
    if (name !== "" && names.has(name)) errors.duplicate(`${at}.name`, name);
    names.add(name);
  };
  each(validateOne)(matchConditions, at, errors);
}

const variable = (compiler: Compiler): Check<Variable> => ({ name = "", expression = "" }, at, errors) => {
  if (name.trim() === "") errors.required(`${at}.name`, "name is not specified");
  else if (!IDENTIFIER.test(name)) errors.invalid(`${at}.name`, name, "must be a valid CEL identifier");
  if (expression.trim() === "") errors.required(`${at}.expression`, "expression is not specified");
  else compiler.declare(name, compiler.check(expression, `${at}.expression`, errors, []));
};

const validation = (compiler: Compiler): Check<Validation> => (one, at, errors) => {
  const { expression = "", message = "", messageExpression = "", reason } = one;
  if (expression.trim() === "") errors.required(`${at}.expression`, "expression is not specified");
  else compiler.check(expression, `${at}.expression`, errors, ["bool"]);
  const empty = "must be non-empty if specified";
  if (messageExpression !== "" && messageExpression.trim() === "") {
    errors.invalid(`${at}.messageExpression`, messageExpression, empty);
  } else if (messageExpression !== "") {
    compiler.check(messageExpression, `${at}.messageExpression`, errors, ["string"], "none");
  }
  if (message !== "" && message.trim() === "") errors.invalid(`${at}.message`, message, empty);
  else if (/[\n\r]/.test(message.trim())) errors.invalid(`${at}.message`, message, "must not contain line breaks");
  if (reason !== undefined) oneOf(...REASONS)(reason, `${at}.reason`, errors);
};

function validateAnnotations(
  annotations: readonly AuditAnnotation[],
  policy: string,
  errors: FieldErrors,
  compiler: Compiler,
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
    else if (byteLength(text) > LONGEST_VALUE_BYTES) {
      errors.required(where, `must not exceed ${LONGEST_VALUE_BYTES} bytes in length`);
    } else compiler.check(text, where, errors, ["string", "null"]);
    if (keys.has(key)) errors.duplicate(`${at}[${i}].key`, key);
    keys.add(key);
  }
}

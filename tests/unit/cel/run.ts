import {
  type CelType,
  compile,
  DYN,
  parseExpression,
  policyEnvironment,
  type Schema,
  schemaType,
  storedType,
} from "../../../src/cel/mod.ts";
import schemas from "./schemas.json" with { type: "json" };

const SCHEMAS = schemas as Readonly<Record<string, Schema>>;

/** Takes all steps at once. */
export function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The variables that recordings were made with. */
const VARIABLES = {
  works: "true",
  n: "object.spec.replicas",
  tags: "object.spec.tags",
  spec: "object.spec",
  ports: "object.spec.ports",
  bad: "object.nope",
  o: "object.spec.?name",
  m: "{'a': object.spec.name}",
};

/** The type of one of the test's kinds. */
export function typeOfKind(kind: string): CelType {
  return schemaType(kind, (name) => SCHEMAS[name], `${kind}NANOS`) ?? DYN;
}

const known = new Map<string, CelType>();
const TYPED = policyEnvironment({ object: typeOfKind("Thing"), params: typeOfKind("Param"), variables: known });
for (const [name, expression] of Object.entries(VARIABLES)) {
  const compiled = finish(compile(finish(parseExpression(expression)), TYPED));
  known.set(name, "type" in compiled ? storedType(compiled.type) : DYN);
}

/** What is wrong with an expression about the test's kinds; empty if nothing is. */
export function issuesOf(expression: string): string {
  const compiled = finish(compile(finish(parseExpression(expression)), TYPED));
  return "issues" in compiled ? compiled.issues : "";
}

/** The messages alone, without their places. */
export function messagesOf(expression: string): string[] {
  return [...issuesOf(expression).matchAll(/^ERROR: <input>:[^:]*:[^:]*: (.*)$/gm)].map(([, message]) => message);
}

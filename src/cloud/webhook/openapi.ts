import { CAPABILITY_NAMES, methodsOf } from "../calls.ts";
import type { Schema } from "../schema.ts";
import { DESCRIBE, FAILURE, type WebhookMethod, webhookMethod } from "./methods.ts";

/** The webhook's protocol as an OpenAPI 3.1 document, generated from the rows that check answers. */
export function webhookOpenApi(): Record<string, unknown> {
  const paths = CAPABILITY_NAMES.flatMap((capability) =>
    methodsOf(capability).map((method) => {
      const row = webhookMethod(capability, method);
      if (!row) throw new Error(`there is no row of ${capability}.${method}`);
      return [`/v1/${capability}/${method}`, path(row, { id: method, tag: capability })];
    })
  );
  return {
    openapi: "3.1.0",
    info: {
      title: "kubeloop's webhook for cloud providers",
      version: "v1",
      description: "What cloud-controller-manager asks of the endpoint that --cloud-provider=webhook names. " +
        "Only a well-formed answer of status 200 counts. Anything else is an error: nothing is taken to be gone because of it. " +
        "Members that are not named here are passed over. An answer must have at most 4 MiB.",
    },
    paths: { "/v1/describe": path(DESCRIBE, { id: "describe", tag: "provider" }), ...Object.fromEntries(paths) },
    components: {
      schemas: { Failure: plain(FAILURE) },
      securitySchemes: { token: { type: "http", scheme: "bearer" }, certificate: { type: "mutualTLS" } },
    },
    security: [{}, { token: [] }, { certificate: [] }],
  };
}

function path(
  { summary, args, result, isReading }: WebhookMethod,
  { id, tag }: { readonly id: string; readonly tag: string },
) {
  const prefixItems = args.map(([title, schema]) => ({ title, ...plain(schema) as Record<string, unknown> }));
  const body = args.length === 0 ? { type: "object" } : {
    type: "object",
    properties: { args: { type: "array", prefixItems, minItems: args.length, maxItems: args.length } },
    required: ["args"],
  };
  const answer = {
    oneOf: [
      { type: "object", properties: { result: plain(result) }, required: ["result"] },
      { type: "object", properties: { error: { $ref: "#/components/schemas/Failure" } }, required: ["error"] },
    ],
  };
  return {
    post: {
      operationId: id,
      tags: [tag],
      summary,
      description: isReading
        ? "Changes nothing, and may be asked for again."
        : "May change something, and is asked for once at a time.",
      requestBody: { required: true, content: { "application/json": { schema: body } } },
      responses: { "200": { description: "What came of it.", content: { "application/json": { schema: answer } } } },
    },
  };
}

/** A deep copy, so that the YAML contains no references. */
function plain(schema: Schema | object): unknown {
  return JSON.parse(JSON.stringify(schema, (_, value) => value instanceof RegExp ? value.source : value));
}

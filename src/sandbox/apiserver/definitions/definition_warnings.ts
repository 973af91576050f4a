import type { CustomResourceDefinition, JSONSchemaProps } from "../../../api/mod.ts";
import { deepEqual } from "../../../base/mod.ts";
import { isKnownFormat } from "../custom/mod.ts";
import { schemasBelow } from "./schema_rules.ts";

const NOT_ENFORCED =
  "x-kubernetes-validations are stored, but this server does not enforce them: custom resources that violate them are accepted";

/** Warnings about a valid definition. Upstream: `pkg/registry/customresourcedefinition/strategy.go`. */
export function definitionWarnings(definition: CustomResourceDefinition, old?: CustomResourceDefinition): string[] {
  const known = old ? unknownFormats(old) : [];
  const formats = unknownFormats(definition).filter((format) => !known.includes(format));
  const warnings = formats.map((format) => `unrecognized format ${JSON.stringify(format)}`);
  const hasRules = schemasOf(definition).some((schema) => schema["x-kubernetes-validations"] !== undefined);
  if (hasRules && !deepEqual(definition.spec, old?.spec)) warnings.push(NOT_ENFORCED);
  return warnings;
}

function unknownFormats(definition: CustomResourceDefinition): string[] {
  return schemasOf(definition).flatMap(({ type = "", format }) =>
    format && !isKnownFormat(type, format) ? [format] : []
  );
}

/** Every schema of every version, nested ones included. */
function schemasOf({ spec }: CustomResourceDefinition): JSONSchemaProps[] {
  const withBelow = (schema: JSONSchemaProps): JSONSchemaProps[] => [
    schema,
    ...schemasBelow(schema).flatMap(withBelow),
  ];
  return spec.versions.flatMap(({ schema }) => schema?.openAPIV3Schema ? withBelow(schema.openAPIV3Schema) : []);
}

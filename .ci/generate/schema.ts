/** The schema of a type or field in an OpenAPI document. */
export interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-patch-strategy"?: string;
}

/** What a type or operation is about. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** What a method on a path does. */
export interface Operation {
  readonly "x-kubernetes-action"?: string;
  readonly "x-kubernetes-group-version-kind"?: GroupVersionKind;
}

/** Schemas by their full name: `io.k8s.api.core.v1.Pod`. */
export type Schemas = Readonly<Record<string, Schema>>;
/** Operations by path and method. */
export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** Whether a server serves a version by default: Kubernetes leaves alpha and beta versions to those who ask for them. */
export function isUsual(schemaOrPath: string): boolean {
  return !/[./]v\d+(?:alpha|beta)\d+[./]/.test(schemaOrPath);
}

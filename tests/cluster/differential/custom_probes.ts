/** Requests about custom resources of a definition that is made for the case. */
import type { Probe } from "./probe.ts";

export const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const GROUP = "{ns}.example.com";
export const ONE = `${DEFINITIONS}/bees.${GROUP}`;
export const BEES = `/apis/${GROUP}/v1/namespaces/{ns}/bees`;
export const MERGE = "application/merge-patch+json";
const APPLY = "application/apply-patch+yaml";
/** Asks for a table, whose first column upstream describes with the API's documentation. */
export const TABLE: Partial<Probe> = {
  headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" },
  ignore: { fields: ["columnDefinitions.0.description"], because: "it is the API's documentation of names" },
};

export type Json = Record<string, unknown>;
export type Body = { readonly code?: number; readonly kind?: string; readonly items?: readonly unknown[] };

export function definition(schema: unknown, version: Json = {}, spec: Json = {}): Json {
  return {
    metadata: { name: `bees.${GROUP}` },
    spec: {
      group: GROUP,
      scope: "Namespaced",
      names: { plural: "bees", kind: "Bee", shortNames: ["b"], categories: ["insects"] },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
      ...spec,
    },
  };
}

/** Makes the definition and waits until its resource is served and discovered. */
export function define(body: Json): Probe[] {
  return [
    { method: "POST", path: DEFINITIONS, body, isSetup: true },
    {
      method: "GET",
      path: `/apis/${GROUP}/v1`,
      until: (found) => (found as Body).kind === "APIResourceList",
      isSetup: true,
    },
    { method: "GET", path: BEES, until: (found) => (found as Body).items !== undefined, isSetup: true },
  ];
}

/** Takes the definition away. */
export const cleanup: Probe[] = [{ method: "DELETE", path: ONE }];

export function bee(name: string, spec: unknown, more: Json = {}): Json {
  return { apiVersion: `${GROUP}/v1`, kind: "Bee", metadata: { name }, spec, ...more };
}

export const create = (body: unknown, query = ""): Probe => ({ method: "POST", path: `${BEES}${query}`, body });
export const tried = (spec: unknown, more: Json = {}) => create(bee("x", spec, more), "?dryRun=All");
export const patch = (name: string, body: unknown, type = MERGE): Probe => ({
  method: "PATCH",
  path: `${BEES}/${name}`,
  type,
  body,
});

export const applied = (name: string, manager: string, spec: Json, query = ""): Probe => ({
  method: "PATCH",
  path: `${BEES}/${name}?fieldManager=${manager}${query}`,
  type: APPLY,
  body: bee(name, spec),
});

export const text = { type: "string" };

/** Requests and objects that several areas' cases are made of. */
import type { Probe } from "./probe.ts";
import type { Fields } from "./requests.ts";

export const CONFIG_MAPS = "/api/v1/namespaces/{ns}/configmaps";
export const PODS = "/api/v1/namespaces/{ns}/pods";
export const DEPLOYMENTS = "/apis/apps/v1/namespaces/{ns}/deployments";

export function get(path: string, accept?: string): Probe {
  return { method: "GET", path, ...accept === undefined ? {} : { headers: { accept } } };
}

export function put(path: string, body: unknown, more: Partial<Probe> = {}): Probe {
  return { method: "PUT", path, body, ...more };
}

/** A DELETE with options in its body. */
export function removeWith(path: string, body: unknown, more: Partial<Probe> = {}): Probe {
  return { method: "DELETE", path, body, ...more };
}

export function jsonPatch(path: string, body: unknown): Probe {
  return { method: "PATCH", path, body, type: "application/json-patch+json" };
}

/** A strategic merge patch. */
export function strategic(path: string, body: unknown): Probe {
  return { method: "PATCH", path, body, type: "application/strategic-merge-patch+json" };
}

/** A server-side apply. */
export function apply(manager: string, path: string, body: unknown, query = ""): Probe {
  return {
    method: "PATCH",
    path: `${path}?fieldManager=${manager}${query}`,
    body,
    type: "application/apply-patch+yaml",
  };
}

/** The probe, sent but not compared. */
export function setup(probe: Probe): Probe {
  return { ...probe, isSetup: true };
}

export function configMap(data?: Fields, metadata: Fields = {}) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", ...metadata }, ...data ? { data } : {} };
}

/** A pod with one container. */
export function pod(name: string, spec: Fields = {}, container: Fields = {}) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { containers: [{ name: "c", image: "nginx:1", ...container }], ...spec },
  };
}

/** A deployment of pods labelled `a: b`. */
export function deployment(name: string, spec: Fields = {}, metadata: Fields = {}) {
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "nginx:1" }] } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, ...metadata },
    spec: { selector: { matchLabels: { a: "b" } }, template, ...spec },
  };
}

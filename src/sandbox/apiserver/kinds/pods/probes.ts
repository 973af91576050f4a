import type { Container, HTTPGetAction, LifecycleHandler, Probe } from "../../../../api/mod.ts";
import { type Check, type FieldErrors, fields, httpHeaderName, nonNegatives } from "../../validation/mod.ts";

type Handler = Pick<Probe, "exec" | "httpGet" | "tcpSocket" | "grpc"> & Pick<LifecycleHandler, "sleep">;

const httpGetFields = fields<HTTPGetAction>(
  { path: "!", port: "*portOrName", scheme: "*one" },
  "core.v1.HTTPGetAction",
);

const httpGet: Check<HTTPGetAction> = (get, at, errors) => {
  httpGetFields(get, at, errors);
  for (const { name = "" } of get.httpHeaders ?? []) errors.invalidFor(`${at}.httpHeaders`, name, httpHeaderName(name));
};

const port = fields<{ port?: string | number }>({ port: "*portOrName" }, "core.v1.TCPSocketAction");

type Action<T> = (action: NonNullable<T>, at: string, errors: FieldErrors, graceSeconds: number) => void;

const ACTIONS: { readonly [K in keyof Handler]-?: Action<Handler[K]> } = {
  exec({ command }, at, errors) {
    if (!command?.length) errors.required(`${at}.command`);
  },
  httpGet,
  tcpSocket: port,
  grpc: port,
  sleep({ seconds = 0 }, at, errors, graceSeconds) {
    if (seconds < 0 || seconds > graceSeconds) errors.invalid(at, seconds, `must be between 0 and ${graceSeconds}`);
  },
};

/** Exactly one action must be set. */
function validateHandler(handler: Handler, graceSeconds: number, at: string, errors: FieldErrors): void {
  let found = false;
  for (const name of Object.keys(ACTIONS) as (keyof Handler)[]) {
    const action = handler[name];
    if (action === undefined) continue;
    if (found) errors.forbidden(`${at}.${name}`, "may not specify more than 1 handler type");
    else (ACTIONS[name] as Action<unknown>)(action, `${at}.${name}`, errors, graceSeconds);
    found = true;
  }
  if (!found) errors.required(at, "must specify a handler type");
}

const counts = nonNegatives<Probe>(
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
);

/** The hooks and probes of a container whose pod gets `graceSeconds` to end. */
export function validateLife(container: Container, graceSeconds: number, at: string, errors: FieldErrors): void {
  for (const name of ["postStart", "preStop"] as const) {
    const hook = container.lifecycle?.[name];
    if (hook) validateHandler(hook, graceSeconds, `${at}.lifecycle.${name}`, errors);
  }
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"] as const) {
    const probe = container[name];
    if (!probe) continue;
    const path = `${at}.${name}`;
    validateHandler(probe, graceSeconds, path, errors);
    counts(probe, path, errors);
    const { terminationGracePeriodSeconds: own, successThreshold = 0 } = probe;
    const isReadiness = name === "readinessProbe";
    if (own !== undefined && (own <= 0 || isReadiness)) {
      const why = isReadiness ? "must not be set for readinessProbes" : "must be greater than 0";
      errors.invalid(`${path}.terminationGracePeriodSeconds`, own, why);
    }
    if (!isReadiness && successThreshold !== 1) {
      errors.invalid(`${path}.successThreshold`, successThreshold, "must be 1");
    }
  }
}

import type { HTTPGetAction, Lifecycle, LifecycleHandler, PodOS, Probe } from "../../../../api/mod.ts";
import { type Check, type FieldErrors, httpHeaderName, nonNegatives, portOrName } from "../../validation/mod.ts";

type Handler = Pick<Probe, "exec" | "httpGet" | "tcpSocket" | "grpc"> & Pick<LifecycleHandler, "sleep">;

const SCHEMES = ["HTTP", "HTTPS"];

const httpGet: Check<HTTPGetAction> = ({ path, port, scheme = "", httpHeaders = [] }, at, errors) => {
  if (!path) errors.required(`${at}.path`);
  portOrName(port ?? 0, `${at}.port`, errors);
  if (!SCHEMES.includes(scheme)) errors.notSupported(`${at}.scheme`, scheme, SCHEMES);
  for (const { name = "" } of httpHeaders) errors.invalidFor(`${at}.httpHeaders`, name, httpHeaderName(name));
};

const ACTIONS: {
  readonly [K in keyof Handler]-?: (handler: Handler, at: string, errors: FieldErrors, graceSeconds: number) => void;
} = {
  exec({ exec }, at, errors) {
    if (!exec?.command?.length) errors.required(`${at}.command`);
  },
  httpGet(handler, at, errors) {
    if (handler.httpGet) httpGet(handler.httpGet, at, errors);
  },
  tcpSocket: ({ tcpSocket }, at, errors) => portOrName(tcpSocket?.port ?? 0, `${at}.port`, errors),
  grpc: ({ grpc }, at, errors) => portOrName(grpc?.port ?? 0, `${at}.port`, errors),
  sleep({ sleep }, at, errors, graceSeconds) {
    const seconds = sleep?.seconds ?? 0;
    if (seconds >= 0 && seconds <= graceSeconds) return;
    errors.invalid(at, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`);
  },
};

/** Exactly one thing is done. */
function validateHandler(handler: Handler, graceSeconds: number, at: string, errors: FieldErrors): void {
  let found = false;
  for (const [name, validate] of Object.entries(ACTIONS)) {
    if (handler[name as keyof Handler] === undefined) continue;
    if (found) errors.forbidden(`${at}.${name}`, "may not specify more than 1 handler type");
    else validate(handler, `${at}.${name}`, errors, graceSeconds);
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

function validateProbe(probe: Probe, graceSeconds: number, at: string, errors: FieldErrors): void {
  validateHandler(probe, graceSeconds, at, errors);
  counts(probe, at, errors);
  const { terminationGracePeriodSeconds: own } = probe;
  if (own !== undefined && own <= 0) {
    errors.invalid(`${at}.terminationGracePeriodSeconds`, own, "must be greater than 0");
  }
}

/** The probes of one container. */
export function validateProbes(
  container: { readonly livenessProbe?: Probe; readonly readinessProbe?: Probe; readonly startupProbe?: Probe },
  graceSeconds: number,
  at: string,
  errors: FieldErrors,
): void {
  for (const name of ["livenessProbe", "readinessProbe", "startupProbe"] as const) {
    const probe = container[name];
    if (!probe) continue;
    const path = `${at}.${name}`;
    validateProbe(probe, graceSeconds, path, errors);
    if (name === "readinessProbe") {
      const own = probe.terminationGracePeriodSeconds;
      if (own === undefined) continue;
      errors.invalid(`${path}.terminationGracePeriodSeconds`, own, "must not be set for readinessProbes");
    } else if ((probe.successThreshold ?? 0) !== 1) {
      errors.invalid(`${path}.successThreshold`, probe.successThreshold ?? 0, "must be 1");
    }
  }
}

const RT_SIGNALS = [
  "SIGRTMIN",
  ...Array.from({ length: 15 }, (_, i) => `SIGRTMIN+${i + 1}`),
  ...Array.from({ length: 14 }, (_, i) => `SIGRTMAX-${14 - i}`),
  "SIGRTMAX",
];
const SIGNALS = [
  ..."ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP SYS TERM TRAP TSTP"
    .split(" "),
  ..."TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ".split(" "),
].map((name) => `SIG${name}`);
const STOP_SIGNALS: Readonly<Record<string, readonly string[]>> = {
  linux: [...SIGNALS, ...RT_SIGNALS].sort(),
  windows: ["SIGKILL", "SIGTERM"],
};

/** What is done when a container starts and before it stops. */
export function validateLifecycle(
  { postStart, preStop, stopSignal }: Lifecycle,
  { graceSeconds, os }: { readonly graceSeconds: number; readonly os?: PodOS },
  at: string,
  errors: FieldErrors,
): void {
  if (postStart) validateHandler(postStart, graceSeconds, `${at}.postStart`, errors);
  if (preStop) validateHandler(preStop, graceSeconds, `${at}.preStop`, errors);
  if (stopSignal === undefined) return;
  const field = `${at}.stopSignal`;
  if (!os) return errors.forbidden(field, "may not be set for containers with empty `spec.os.name`");
  const supported = STOP_SIGNALS[os.name];
  if (supported && !supported.includes(stopSignal)) errors.notSupported(field, stopSignal, supported);
}

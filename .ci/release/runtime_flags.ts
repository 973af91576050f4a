/** What the executable may do, and why: `deno compile` bakes it in, and the cluster tests start the sources with the same. */
export const PERMISSIONS = {
  "--allow-net": "the API server can be anywhere, and the secure port is bound to what --bind-address says",
  "--allow-read": "flags and kubeconfigs name certificates, keys and tokens anywhere",
  "--allow-env": "KUBECONFIG, HOME, KUBERNETES_SERVICE_*, NOTIFY_SOCKET; exec plugins get the whole environment",
  "--allow-run": "exec plugins of a kubeconfig, which can be any program, and the FlexVolume drivers on this machine",
  "--allow-sys=hostname": "the identity in the lease and the source of events",
  "--allow-write":
    "flags name what is kept and where: --data-dir, --kubeconfig, --cert-dir; NOTIFY_SOCKET is anywhere. " +
    "A list would keep nobody out who can run programs: what may be written is the user's and the file system's to say",
} as const;

const CALLS_BEFORE_OPTIMIZATION = 20_000;

/**
 * A young heap a quarter as large as V8's own, and an old one that grows slowly: less memory at the peak, in every thread. And
 * functions are optimized only after 20,000 calls (V8's own: 400 for the first of two compilers, 3,000 for the second): what a manager
 * does in its first minute would not earn back their work, and an idle one keeps neither of them in memory. After still more calls,
 * pauses on large objects would be half as long again.
 */
export const V8_FLAGS = "--v8-flags=" + [
  "--max-semi-space-size=4",
  "--heap-growing-percent=50",
  `--invocation-count-for-maglev=${CALLS_BEFORE_OPTIMIZATION}`,
  `--invocation-count-for-turbofan=${CALLS_BEFORE_OPTIMIZATION}`,
].join(",");

/** Whatever else `deno compile` is told, besides what to compile and where to put it. */
export const COMPILE_FLAGS: readonly string[] = [
  // The gate checks the types of the same files.
  "--no-check",
  "--cached-only",
  "--frozen",
  // A missing permission is an error, never a question; no code comes from anywhere else.
  "--no-prompt",
  "--deny-import",
  // It would lie under a name that everybody knows in a folder where everybody writes.
  "--no-code-cache",
  V8_FLAGS,
  ...Object.keys(PERMISSIONS),
];

/** The process, and what it starts as a worker, which is found in no import. */
export const ENTRY = "main.ts";
export const WORKERS: readonly string[] = ["src/manager/groups/group_worker.ts"];
/** What takes away from a worker what it must not have: it must run before any other code. */
export const WORKERS_FIRST = "src/manager/groups/confinement.ts";

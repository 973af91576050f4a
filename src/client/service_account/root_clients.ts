/**
 * Names of the clients that use the process's own credentials even if each controller has an account: those that all
 * controllers share, and those that keep the process running. The roles that kube-apiserver creates rely on it.
 *
 * Upstream: `cmd/kube-controller-manager/app/controllermanager.go` (what is made with `rootClientBuilder` or
 * `c.Kubeconfig`).
 */
export const ROOT_CLIENTS: ReadonlySet<string> = new Set([
  "shared-informers",
  "metadata-informers",
  "controller-discovery",
  "tokens-controller",
  "leader-election",
  "leader-election-watch",
]);

/**
 * Names of the clients that have the process's own credentials even where each controller has an account: what all controllers
 * share, and what keeps the process going. The roles that kube-apiserver creates count on it.
 *
 * Upstream: `cmd/kube-controller-manager/app/controllermanager.go` (what is made with `rootClientBuilder` or `c.Kubeconfig`).
 */
export const ROOT_CLIENTS: ReadonlySet<string> = new Set([
  "shared-informers",
  "metadata-informers",
  "controller-discovery",
  "tokens-controller",
  "leader-election",
  "leader-election-watch",
]);

/** A subject of a role binding: a user, a group, or a service account of kube-system. */
export type BoundTo = { readonly user: string } | { readonly group: string } | { readonly account: string };

/** The subjects of cluster roles other than controllers', bound by a ClusterRoleBinding of the same name. */
export const CLUSTER_ROLE_BINDINGS: Readonly<Record<string, readonly BoundTo[]>> = {
  "cluster-admin": [{ group: "system:masters" }],
  "system:basic-user": [{ group: "system:authenticated" }],
  "system:discovery": [{ group: "system:authenticated" }],
  "system:kube-controller-manager": [{ user: "system:kube-controller-manager" }],
  "system:kube-dns": [{ account: "kube-dns" }],
  "system:kube-scheduler": [{ user: "system:kube-scheduler" }],
  "system:monitoring": [{ group: "system:monitoring" }],
  // Exists for its name only; nodes get their permissions elsewhere.
  "system:node": [],
  "system:node-proxier": [{ user: "system:kube-proxy" }],
  "system:public-info-viewer": [{ group: "system:authenticated" }, { group: "system:unauthenticated" }],
  "system:service-account-issuer-discovery": [{ group: "system:serviceaccounts" }],
  "system:volume-scheduler": [{ user: "system:kube-scheduler" }],
};

/** Roles with this prefix are bound to the service account of the controller named after it. */
export const CONTROLLER_PREFIX = "system:controller:";

/** The subjects of roles in a namespace, bound by a RoleBinding of the same name, or of the one given. */
export const ROLE_BINDINGS: ReadonlyArray<
  { readonly role: string; readonly name?: string; readonly to: readonly BoundTo[] }
> = [
  { role: "kube-public/system:controller:bootstrap-signer", to: [{ account: "bootstrap-signer" }] },
  {
    role: "kube-system/extension-apiserver-authentication-reader",
    name: "system::extension-apiserver-authentication-reader",
    to: [{ user: "system:kube-controller-manager" }, { user: "system:kube-scheduler" }],
  },
  {
    role: "kube-system/system::leader-locking-kube-controller-manager",
    to: [
      { user: "system:kube-controller-manager" },
      { account: "kube-controller-manager" },
      { account: "leader-election-controller" },
    ],
  },
  {
    role: "kube-system/system::leader-locking-kube-scheduler",
    to: [{ user: "system:kube-scheduler" }, { account: "kube-scheduler" }],
  },
  { role: "kube-system/system:controller:bootstrap-signer", to: [{ account: "bootstrap-signer" }] },
  { role: "kube-system/system:controller:cloud-provider", to: [{ account: "cloud-provider" }] },
  { role: "kube-system/system:controller:token-cleaner", to: [{ account: "token-cleaner" }] },
];

/**
 * Roles that aggregate the rules of all roles labelled `rbac.authorization.k8s.io/aggregate-to-NAME`, and those roles.
 */
export const AGGREGATES: Readonly<Record<string, readonly string[]>> = {
  view: ["system:aggregate-to-view"],
  edit: ["system:aggregate-to-edit", "view"],
  admin: ["edit", "system:aggregate-to-admin"],
};

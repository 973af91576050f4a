/** Quantities, addresses, versions, formats, URLs and authorization. Upstream: `apiserver/pkg/cel/library`. */
export const KUBERNETES_FUNCTIONS = `
member add: kubernetes.Quantity, kubernetes.Quantity -> kubernetes.Quantity | kubernetes.Quantity, int -> kubernetes.Quantity
member allowed: kubernetes.authorization.Decision -> bool
member asApproximateFloat: kubernetes.Quantity -> double
member asInteger: kubernetes.Quantity -> int
member check: kubernetes.authorization.PathCheck, string -> kubernetes.authorization.Decision | kubernetes.authorization.ResourceCheck, string -> kubernetes.authorization.Decision
global cidr: string -> net.CIDR
member compareTo: kubernetes.Quantity, kubernetes.Quantity -> int | kubernetes.Semver, kubernetes.Semver -> int
member containsCIDR: net.CIDR, string -> bool | net.CIDR, net.CIDR -> bool
member containsIP: net.CIDR, string -> bool | net.CIDR, net.IP -> bool
member error: kubernetes.authorization.Decision -> string
member errored: kubernetes.authorization.Decision -> bool
member family: net.IP -> int
member fieldSelector: kubernetes.authorization.ResourceCheck, string -> kubernetes.authorization.ResourceCheck
global format.byte: -> kubernetes.NamedFormat
global format.date: -> kubernetes.NamedFormat
global format.datetime: -> kubernetes.NamedFormat
global format.dns1035Label: -> kubernetes.NamedFormat
global format.dns1035LabelPrefix: -> kubernetes.NamedFormat
global format.dns1123Label: -> kubernetes.NamedFormat
global format.dns1123LabelPrefix: -> kubernetes.NamedFormat
global format.dns1123Subdomain: -> kubernetes.NamedFormat
global format.dns1123SubdomainPrefix: -> kubernetes.NamedFormat
global format.labelValue: -> kubernetes.NamedFormat
global format.named: string -> optional_type(kubernetes.NamedFormat)
global format.qualifiedName: -> kubernetes.NamedFormat
global format.uri: -> kubernetes.NamedFormat
global format.uuid: -> kubernetes.NamedFormat
member getEscapedPath: kubernetes.URL -> string
member getHost: kubernetes.URL -> string
member getHostname: kubernetes.URL -> string
member getPort: kubernetes.URL -> string
member getQuery: kubernetes.URL -> map(string, list(string))
member getScheme: kubernetes.URL -> string
member group: kubernetes.authorization.Authorizer, string -> kubernetes.authorization.GroupCheck
global ip: string -> net.IP
member ip: net.CIDR -> net.IP
global ip.isCanonical: string -> bool
global isCIDR: string -> bool
member isGlobalUnicast: net.IP -> bool
member isGreaterThan: kubernetes.Quantity, kubernetes.Quantity -> bool | kubernetes.Semver, kubernetes.Semver -> bool
global isIP: string -> bool
member isInteger: kubernetes.Quantity -> bool
member isLessThan: kubernetes.Quantity, kubernetes.Quantity -> bool | kubernetes.Semver, kubernetes.Semver -> bool
member isLinkLocalMulticast: net.IP -> bool
member isLinkLocalUnicast: net.IP -> bool
member isLoopback: net.IP -> bool
global isQuantity: string -> bool
global isSemver: string -> bool | string, bool -> bool
global isURL: string -> bool
member isUnspecified: net.IP -> bool
member labelSelector: kubernetes.authorization.ResourceCheck, string -> kubernetes.authorization.ResourceCheck
member major: kubernetes.Semver -> int
member masked: net.CIDR -> net.CIDR
member minor: kubernetes.Semver -> int
member name: kubernetes.authorization.ResourceCheck, string -> kubernetes.authorization.ResourceCheck
member namespace: kubernetes.authorization.ResourceCheck, string -> kubernetes.authorization.ResourceCheck
member patch: kubernetes.Semver -> int
member path: kubernetes.authorization.Authorizer, string -> kubernetes.authorization.PathCheck
member prefixLength: net.CIDR -> int
global quantity: string -> kubernetes.Quantity
member reason: kubernetes.authorization.Decision -> string
member resource: kubernetes.authorization.GroupCheck, string -> kubernetes.authorization.ResourceCheck
global semver: string -> kubernetes.Semver | string, bool -> kubernetes.Semver
member serviceAccount: kubernetes.authorization.Authorizer, string, string -> kubernetes.authorization.Authorizer
global sign: kubernetes.Quantity -> int
global string: string -> string | bool -> string | bytes -> string | double -> string | duration -> string | int -> string | timestamp -> string | uint -> string | net.IP -> string | net.CIDR -> string
member sub: kubernetes.Quantity, kubernetes.Quantity -> kubernetes.Quantity | kubernetes.Quantity, int -> kubernetes.Quantity
member subresource: kubernetes.authorization.ResourceCheck, string -> kubernetes.authorization.ResourceCheck
global url: string -> kubernetes.URL
member validate: kubernetes.NamedFormat, string -> optional_type(list(string))
`;

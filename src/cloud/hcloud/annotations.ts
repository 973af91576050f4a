import { parseDuration, type Service } from "../../api/mod.ts";
import { errorText } from "../../base/mod.ts";
import { CloudError } from "../errors.ts";
import { shown } from "./answers.ts";
import { parseBoolean, parseInteger } from "./go_values.ts";

const PREFIX = "load-balancer.hetzner.cloud/";

/**
 * The annotations that configure a Service's load balancer. `ipv4`, `ipv6` and `id` also exist but have no effect.
 * Upstream: `hcloud-cloud-controller-manager/internal/annotation`.
 */
export type AnnotationName =
  | "algorithm-type"
  | "certificate-type"
  | "disable-private-ingress"
  | "disable-public-network"
  | "health-check-http-domain"
  | "health-check-http-path"
  | "health-check-http-validate-certificate"
  | "health-check-interval"
  | "health-check-port"
  | "health-check-protocol"
  | "health-check-retries"
  | "health-check-timeout"
  | "hostname"
  | "http-certificates"
  | "http-cookie-lifetime"
  | "http-cookie-name"
  | "http-managed-certificate-acme-staging"
  | "http-managed-certificate-domains"
  | "http-managed-certificate-name"
  | "http-redirect-http"
  | "http-status-codes"
  | "http-sticky-sessions"
  | "http-timeout-idle"
  | "ipv4-rdns"
  | "ipv6-disabled"
  | "ipv6-rdns"
  | "location"
  | "name"
  | "network-zone"
  | "node-selector"
  | "private-ipv4"
  | "private-subnet-ip-range"
  | "protocol"
  | "type"
  | "use-private-ip"
  | "uses-proxyprotocol";

/**
 * Reads a Service's annotations. Unset ones are `undefined`.
 *
 * @throws {CloudError} If a value is malformed; the message names the annotation.
 */
export class Annotations {
  readonly #annotations: Readonly<Record<string, string>>;

  constructor({ metadata }: Service) {
    this.#annotations = metadata?.annotations ?? {};
  }

  text(name: AnnotationName): string | undefined {
    const key = PREFIX + name;
    return Object.hasOwn(this.#annotations, key) ? this.#annotations[key] : undefined;
  }

  texts(name: AnnotationName): readonly string[] | undefined {
    return this.text(name)?.split(",");
  }

  flag(name: AnnotationName): boolean | undefined {
    return this.read(name, parseBoolean);
  }

  integer(name: AnnotationName): number | undefined {
    return this.read(name, parseInteger);
  }

  /** A duration in whole seconds, the API's unit. */
  seconds(name: AnnotationName): number | undefined {
    const durationMs = this.read(name, parseDuration);
    return durationMs === undefined ? undefined : Math.trunc(durationMs / 1000);
  }

  /** @param parse Throws if the text is malformed. */
  read<T>(name: AnnotationName, parse: (text: string) => T): T | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    try {
      return parse(text);
    } catch (error) {
      throw new CloudError(`annotation ${PREFIX}${name}: ${shown(errorText(error))}`);
    }
  }
}

/** The annotation in full, for messages. */
export function annotationKey(name: AnnotationName): string {
  return PREFIX + name;
}

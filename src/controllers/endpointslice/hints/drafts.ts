import type { Endpoint, EndpointHints, EndpointSlice } from "../../../api/mod.ts";
import type { Draft } from "../slice_draft.ts";

/** Whether an endpoint may get traffic. */
export function isReady({ conditions }: Endpoint): boolean {
  return conditions?.ready === true;
}

/** An endpoint with these hints, or without any. */
export function withHints({ hints: _before, ...endpoint }: Endpoint, hints: EndpointHints | undefined): Endpoint {
  return hints ? { ...endpoint, hints } : endpoint;
}

/**
 * The same slices without any hints. Upstream: `k8s.io/endpointslice/topologycache/utils.go` (RemoveHintsFromSlices).
 */
export function withoutHints(draft: Draft): Draft {
  return remade(draft, {
    isWrong: ({ endpoints }) => (endpoints ?? []).some(({ hints }) => hints),
    remake: (endpoint) => withHints(endpoint, undefined),
  });
}

/** How to change the endpoints of a {@link Draft}. */
export interface Remaking {
  /** Whether an unchanged slice must be written because of it. */
  isWrong(slice: EndpointSlice): boolean;
  remake(endpoint: Endpoint): Endpoint;
}

/** Changes the endpoints of all slices to write, and of unchanged ones that are wrong. */
export function remade({ create, update, unchanged }: Draft, { isWrong, remake }: Remaking): Draft {
  const again = (slice: EndpointSlice) => ({ ...slice, endpoints: (slice.endpoints ?? []).map(remake) });
  const wrong = new Set(unchanged.filter(isWrong));
  return {
    create: create.map(again),
    update: [...update, ...wrong].map(again),
    unchanged: unchanged.filter((slice) => !wrong.has(slice)),
  };
}

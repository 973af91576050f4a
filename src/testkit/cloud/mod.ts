/** Conformance tests for cloud providers. */
export { cloudConformance } from "./conformance.ts";
export {
  type BalancerTestbed,
  CloudConformanceError,
  type CloudTestbed,
  type CloudTestCase,
  type InstanceTestbed,
  type RouteTestbed,
} from "./testbed.ts";

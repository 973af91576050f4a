import type { CustomResourceConversion } from "../../../api/mod.ts";
import { type FieldErrors, fields, oneOf, required } from "../validation/mod.ts";

const AT = "spec.conversion";

const checkStrategy = fields<CustomResourceConversion>({ strategy: required(oneOf("None", "Webhook")) });

/**
 * Validates the conversion strategy. This server only changes `apiVersion`; conversion webhooks, which upstream
 * accepts, are refused because they would never be called. Upstream: validateCustomResourceConversion.
 */
export function validateConversion(conversion: CustomResourceConversion | undefined, errors: FieldErrors): void {
  if (!conversion) return;
  const { strategy, webhook } = conversion;
  const versions = webhook?.conversionReviewVersions ?? [];
  checkStrategy(conversion, AT, errors);
  if (strategy !== "Webhook") {
    const why = "should not be set when strategy is not set to Webhook";
    if (webhook?.clientConfig) errors.forbidden(`${AT}.webhookClientConfig`, why);
    if (versions.length > 0) errors.forbidden(`${AT}.conversionReviewVersions`, why);
    return;
  }
  const known = errors.count;
  const config = webhook?.clientConfig;
  if (!config) errors.required(`${AT}.webhookClientConfig`, "required when strategy is set to Webhook");
  else if ((config.url === undefined) === (config.service === undefined)) {
    errors.required(`${AT}.webhookClientConfig`, "exactly one of url or service is required");
  }
  if (versions.length === 0) errors.required(`${AT}.conversionReviewVersions`);
  if (errors.count > known) return;
  const why = "this server does not call conversion webhooks; use None, with which versions differ only in apiVersion";
  errors.forbidden(`${AT}.strategy`, why);
}

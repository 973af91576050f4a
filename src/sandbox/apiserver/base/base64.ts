const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Whether a text is standard base64 with padding; line breaks are ignored. */
export function isBase64(text: string): boolean {
  return BASE64.test(text) || (/[\r\n]/.test(text) && BASE64.test(text.replace(/[\r\n]/g, "")));
}

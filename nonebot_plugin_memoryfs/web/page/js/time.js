// Times as people say them.

const DAY = 24 * 60 * 60 * 1000;

function startOfDay(date) {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate());
}

/** 刚刚, 14:30, 昨天 14:30, 7月8日 14:30, 2025年7月8日. */
export function when(text) {
  if (!text) return "";
  const at = new Date(text);
  const now = new Date();
  const clock = `${at.getHours()}:${String(at.getMinutes()).padStart(2, "0")}`;
  const days = Math.round((startOfDay(now) - startOfDay(at)) / DAY);
  if (Math.abs(now - at) < 60_000) return "刚刚";
  if (days === 0) return `今天 ${clock}`;
  if (days === 1) return `昨天 ${clock}`;
  const day = `${at.getMonth() + 1}月${at.getDate()}日`;
  return at.getFullYear() === now.getFullYear() ? `${day} ${clock}` : `${at.getFullYear()}年${day}`;
}

/** A time that shows its exact value on hover. */
export function timeOf(text, el) {
  return el("time", { datetime: text, title: new Date(text).toLocaleString("zh-CN") }, when(text));
}

/** 还有 3 天, 还有 5 小时, 不到 1 小时. */
export function timeLeft(text) {
  const hours = (new Date(text) - new Date()) / (DAY / 24);
  if (hours < 1) return "不到 1 小时";
  return hours < 36 ? `还有 ${Math.round(hours)} 小时` : `还有 ${Math.round(hours / 24)} 天`;
}

/** 12 毫秒, 1.4 秒. */
export function spent(milliseconds) {
  if (milliseconds >= 1000) return `${(milliseconds / 1000).toFixed(1)} 秒`;
  return milliseconds < 1 ? "不到 1 毫秒" : `${Math.round(milliseconds)} 毫秒`;
}

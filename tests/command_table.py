"""The README's table of commands, made from the code: `python -m tests.command_table` writes it (R7.9)."""

from pathlib import Path

from . import nonebot_setup as nonebot_setup  # NoneBot must load the package before the rest is imported

README = Path(__file__).resolve().parents[1] / "README.md"
_BEGIN, _END = "<!-- 命令表：由代码生成，python -m tests.command_table -->\n", "\n<!-- 命令表完 -->"


def generated() -> str:
    """All commands as a table in Markdown, in the order of their help."""
    from nonebot_plugin_memoryfs.bot.commands import COMMANDS

    rows = ["| 命令 | 作用 | 谁能用 |", "|---|---|---|"]
    for command in COMMANDS:
        also = "".join(f"、{_code(f'/{alias}')}" for alias in command.aliases)
        about = command.title.removeprefix(f"{command.name}：")
        rows.append(f"| **{_code(f'/{command.name}')}**{also} | **{about}** | |")
        for action in command.actions:
            how = _code(" ".join(filter(None, (f"/{command.name}", action.name, action.takes))))
            where = "，只在私聊里" if action.private else ""
            rows.append(f"| {how} | {action.help} | {action.may.who}{where} |")
    return "\n".join(rows)


def written() -> str:
    """The table that stands in the README."""
    return _parts()[1]


def _parts() -> tuple[str, str, str]:
    before, _, rest = README.read_text("utf-8").partition(_BEGIN)
    table, _, after = rest.partition(_END)
    return before + _BEGIN, table, _END + after


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|")


if __name__ == "__main__":
    before, _, after = _parts()
    README.write_text(before + generated() + after, "utf-8")

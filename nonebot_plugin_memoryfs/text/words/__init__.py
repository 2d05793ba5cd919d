"""Word tables of the statement recogniser (R4.5): data only, no code that decides.

They hold what a careful reader of QQ chats would list; leaving a word out costs a find, no lie.
"""

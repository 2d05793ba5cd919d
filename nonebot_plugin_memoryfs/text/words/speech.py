"""How people speak around a statement: what may stand before it, and what takes its truth.

Each constant is the inside of a regular expression's group.
"""

SUBJECT = r"我自己|我本人|我|俺|本人"

LEADS = (
    r"其实|对了|嗯+|啊+|哦+|额+|呃+|诶+|哈+|嘿+|嘿嘿|话说|说起来|顺便|说一下|另外|还有|而且|并且|但是|但|不过"
    r"|可是|因为|所以|然后|虽然|毕竟|反正|说实话|老实说|不瞒[你您]说|讲真|真的|自我介绍一下|今天|最近|现在|目前|平时"
    r"|这几天|这段时间|这阵子|明天|明年|今年|下周|周末|你好|大家好|各位好|hi|hello|嗨"
)

ADVERBS = (
    r"真的|真|最近|其实|并(?=不)|(?:一点儿?|半点)[都也](?=不)|确实|好|很|超级|超|特别|非常|十分|终于|总算|依然|依旧|开始|最最|最|一直以来|一直|都|也|还是|还|更|挺|蛮|比较"
    r"|巨|可|太(?=喜欢|爱|讨厌)|就是(?=[喜讨爱不])|就|现在|目前|当前|近期|正|平时|平常|从小到大|从小|已经|早就|又|刚刚|刚|才|一般|本来就"
    r"|只|人|这几天|这两天|这段时间|这阵子|这学期|这个月|今天|明天|后天|周末|这周|下周|下个?月|今年|明年"
    r"|寒假|暑假|国庆|五一|十一|元旦|春节|过年|年底|年后|毕业后|下班后|晚上|上个?月|上周|去年|前几天|前天|昨天"
)

STRONG = r"最|超|巨|很|特别|非常|真|好|十分"
LATELY = r"最近|近期|这几天|这两天|这段时间|这阵子|这学期|这个月|目前|一直"
NOW = r"现在|目前|当前|今天"

ASKING = (
    r"吗|呢$|嘛$|(?<![这那])么$|什么|啥|谁(?![都也])|哪|(?<!不)怎么|怎样|为何|咋|是不是|有没有|能不能|会不会|要不要|可不可以|好不好"
    r"|行不行|对不对|喜不喜欢|多少|多大|多久|多高|几(?:岁|号|月|点|个|只|条|次|年)|来着|猜猜|你猜"
)
ASIDE = (
    r"(?:那|那么|请问)?(?:你|您|大家|有没有人|有人|各位|谁|群友|有(?:没有)?(?:要|想)?(?:一起|一块|同好|同样))"
)
"""A question that begins so is put to the others and leaves the clauses before it true."""
TAGS = r"记得|知道|猜|信不信|相信|忘|对吧|对吗|是吧"

PAST = (
    r"以前|曾经|曾|过去|从前|小时候|小时|之前|原来|原本|本来(?!就)|当年|当时|那时|早年|年轻时|的时候"
    r"|上辈子|高中时|大学时|那会儿?|差点"
)

DOUBTFUL = (
    r"如果|要是|假如|假使|若是|倘若|万一|的话|只要|除非|即使|即便|就算|哪怕|难道|等我|等以后|等到|就好了|恨不得"
    r"|巴不得|多想|可能|好像|也许|大概|似乎|或许|说不定|不确定|怀疑|仿佛|据说|听说|有人说|别人|人家|谁说|装作"
    r"|梦见|梦到|梦里|幻想|想象|下辈子|凭什么|并不代表|不代表|不等于|不是说|吧[。！!~～…]*$"
)

REPORTED = (
    r"(?:[他她它妈爸哥姐弟妹友学师板事人家们姨叔爷奶客生方队群]|老婆|老公|导演|领导|TA|ta|网上|书上|书里)"
    r"(?:刚才?|也|就|还|总|老|经常|都|一直|[跟和对给](?:我|你|他|她)|今天|昨天|会){0,3}"
    r"(?:说|讲|问|告诉|喊|唱|写道|吐槽|表示|觉得|以为|认为)"
    r"|(?<!瞒)你(?:刚才?|之前|也|就|还|不是|总|老){0,3}(?:说|以为|认为)|(?<![话来你])说[：:，,]"
)

PLAY = (
    r"翻译|造句|歌词|台词|唱道|扮演|假装|复读|跟我念|跟着我|剧本|小说里|角色卡|用[英日韩法德俄]语"
    r"|举例|例句|才怪|骗你|骗人|开个?玩笑|逗你|bushi|狗头|doge|[🙂🙃]|反话|手滑|发错|不是本人|记住|记一下|记下|别忘了"
    r"|(?:帮我|给我|替我|请|来)(?:写|念|唱|说|编|画|生成|改|润色)|润色|文案|模仿|COS|cosplay"
)
"""Anywhere in a message: it plays, quotes, jokes, or asks to be written, so nothing is stated."""

PARTICLES = (
    r"了|啦|啊|呀|哦|喔|噢|哈|嘿|嘛|耶|诶|欸|捏|喵|哇|嗷|的说|呐|罢了|而已|来的|h{2,}|w{2,}|2333+|6{2,}|x?swl"
    r"|orz|qwq|qaq|awa|owo|xd|lol|haha(?:ha)*"
)

ENGLISH_LEADS = r"hi|hello|hey|well|so|and|but|actually|honestly|btw|also|yeah|oh|ok|okay|because"
ENGLISH_DOUBTFUL = (
    r"if|maybe|perhaps|said|says?|told|tells?|thinks?|thought|guess|used to|wish|would|might|probably|heard"
    r"|suppose|unless|whether|imagine|pretend|not sure|when i was|translate|lyrics?|just kidding|jk|write"
)
ENGLISH_ASIDE = r"(?:and )?(?:you\b|(?:what|how) about (?:you|u)|do you|are you|anyone)"
ENGLISH_TAILS = (
    r"lol|lmao|haha(?:ha)*|too|a lot|very much|so much|btw|tbh|as well|though|right now|now"
    r"|any ?more|any longer|either|:\)|xd|these days|nowadays|lately|recently|at the moment|at the minute"
    r"|for now|this (?:week|month|year|semester|term|summer|winter|spring|autumn|fall)"
)

"""Sentences that colour a scene: the hour, the weekday, the weather, the character."""

from ..character import Phase
from .scene import lines
from .weather import Weather

OF_HOUR = {
    Phase.MORNING: lines(
        """天光一点点漫进屋子，楼下传来扫帚刮地的声音。
        {weekday}的早晨，水龙头里的水凉得人一激灵。
        还没到热闹的时候，巷子里只有送奶车的铃在响。"""
    ),
    Phase.FORENOON: lines(
        """{weekday}的上午过得不紧不慢。
        {hour}点多，楼道里有人拖着箱子下楼，轮子咕噜咕噜地响。
        隔壁断断续续在练琴，同一小节弹了又弹。"""
    ),
    Phase.NOON: lines(
        """正午的钟刚敲过，街角的小馆子里坐得满满的。
        楼道里飘着各家的饭菜香，一层一个味道。
        {weekday}中午，街上比平时安静些。"""
    ),
    Phase.AFTERNOON: lines(
        """{weekday}的下午，钟好像走得特别慢。
        {hour}点多，楼上有孩子在拍皮球，一下一下的。
        隔着墙有人在学吹口哨，怎么也不成调。"""
    ),
    Phase.EVENING: lines(
        """抬头时，对面已经亮了好几扇窗。
        {weekday}的傍晚，家家厨房都在叮叮当当。
        下班的车流在远处排成一条慢慢挪的灯河。"""
    ),
    Phase.NIGHT: lines(
        """{hour}点过后，街上静得能听见自行车的链条声。
        {weekday}的夜里，整条街只剩一盏路灯还醒着。
        夜色贴在窗上，玻璃里映出自己的半张脸。"""
    ),
}
"""`{weekday}` and `{hour}` are filled in."""

OF_WEATHER = {
    Weather.CLEAR: lines(
        """天干净得像刚洗过。
        一丝云也没有，看得很远。"""
    ),
    Weather.CLOUDY: lines(
        """云压得低低的，像给屋顶盖了层旧棉絮。
        天一直阴着，倒也不闷。"""
    ),
    Weather.RAIN: lines(
        """雨断断续续地下着，没有要停的意思。
        外面湿漉漉的，路面亮得像一面镜子。"""
    ),
    Weather.WINDY: lines(
        """风大得很，晾衣架被吹得直转。
        窗户被风推得哐哐响，拿纸片塞住才好些。"""
    ),
    Weather.SNOW: lines(
        """外面白茫茫的，连声音都被雪吸走了。
        玻璃上凝着冰花，哈一口气才能看出去。"""
    ),
}

OF_CATS = lines(
    """尾巴尖不知不觉跟着一翘一翘，藏也藏不住。
    耳朵忽然竖起来，听了听，又慢慢放平。
    尾巴圈在脚边，一动也懒得动。
    心里一高兴，尾巴就翘得老高，半天放不下来。
    鼻尖动了动，闻了又闻。
    耳朵忽然痒了，向后一抿，抖了好几下。"""
)

OF_HOBBY = lines(
    """要说最喜欢的事，还得是{hobby}。
    心里还惦记着{hobby}，想一想就高兴。
    要说今天还缺什么，大概就是{hobby}了。"""
)

FLESH = (
    r"吃|喝|尝|舔|嚼|抿|饱|饿|甜|酸|咸|涩|嘴|舌|胃|汗|哈欠|骨头|喷嚏|发麻|压麻|泡脚|热水澡|冻|烫|暖|呼吸|鼾|呼噜|咂|脸颊|梦话"
    r"|面包|茶(?!几)|汤|菜市场|午觉|困|睡衣|凉水|荷包蛋|下锅|粥|面条|饺子|烤红薯|西瓜|早饭|晚饭|米饭|饭团|雪糕|眼皮|脸上|脚背|头发|额|睫毛|眉头|嘴角|嗓|香味|流泪|鼻"
)
"""What only somebody with a body of flesh does or feels."""

"""Sentences that colour a scene: the hour, the weekday, the weather, the character."""

from ..character import Phase
from .scene import lines
from .weather import Weather

OF_HOUR = {
    Phase.MORNING: lines(
        """天光一点点漫进屋子，楼下传来扫帚刮地的声音。
        {weekday}的早晨，水龙头里的水冰得人一激灵。
        还没到热闹的时候，巷子里只有送奶车的铃在响。"""
    ),
    Phase.FORENOON: lines(
        """{weekday}的上午过得不紧不慢。
        {hour}点多，光斜斜地切过半张桌子。
        隔壁断断续续在练琴，同一小节弹了又弹。"""
    ),
    Phase.NOON: lines(
        """正午的影子缩成了脚边小小的一团。
        楼道里飘着各家的饭菜香，一层一个味道。
        {weekday}中午，街上比平时安静些。"""
    ),
    Phase.AFTERNOON: lines(
        """{weekday}的下午，钟好像走得特别慢。
        {hour}点多，楼下有孩子追着皮球跑，笑声一阵阵的。
        云挪得很慢，屋里一会儿亮一会儿暗。"""
    ),
    Phase.EVENING: lines(
        """天色暗得快，抬头时对面已经亮了好几扇窗。
        {weekday}的傍晚，家家厨房都在叮叮当当。
        下班的车流在远处排成一条慢慢挪的灯河。"""
    ),
    Phase.NIGHT: lines(
        """{hour}点过后，街上静得能听见自行车的链条声。
        {weekday}就快过完了，灯下飞着一只小蛾子。
        夜色贴在窗上，玻璃里映出自己的半张脸。"""
    ),
}
"""`{weekday}` and `{hour}` are filled in."""

OF_WEATHER = {
    Weather.CLEAR: lines(
        """天蓝得像刚洗过。
        今天一丝云也没有。"""
    ),
    Weather.CLOUDY: lines(
        """云压得低低的，光线软得像隔了一层纱。
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
    心里一高兴，尾巴就把旁边的杯子扫得晃了一下。
    鼻尖动了动，闻了又闻。
    耳朵被风吹得向后一抿，痒得直抖。"""
)

OF_HOBBY = lines(
    """剩下的一点空，照例留给了最喜欢的事：{hobby}。
    心里还惦记着{hobby}，等会儿就去。
    要说今天还缺什么，大概就是{hobby}了。"""
)
